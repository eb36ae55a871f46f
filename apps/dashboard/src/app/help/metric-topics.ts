import type { TopicGroup } from './topic.js';

/** Topics on metrics, slices, perturbations and costs. */
export const METRIC_TOPICS: readonly TopicGroup[] = [
  {
    id: 'labels',
    heading: $localize`Metrics of labels`,
    lead: $localize`Of tasks whose answer is one of a few labels, or several of them. Shares are shown in percent. An answer that can't be read counts as wrong.`,
    topics: [
      {
        term: 'accuracy',
        formula: [$localize`right ÷ examples`],
        more: [
          $localize`Where an example has several acceptable labels, any of them is right. Where it has several labels at once, all of them and no other must be given.`,
        ],
      },
      {
        term: 'macro_f1',
        formula: [
          $localize`F1 of a label = 2 · found ÷ (2 · found + missed + falsely found)`,
          $localize`macro F1 = the mean of the labels’ F1`,
        ],
        source: $localize`scikit-learn: f1_score(average="macro", zero_division=0)`,
      },
      {
        term: 'micro_f1',
        formula: [$localize`2 · found ÷ (2 · found + missed + falsely found), over all labels together`],
        more: [$localize`Where every example has one label, it is the accuracy.`],
        source: $localize`scikit-learn: f1_score(average="micro")`,
      },
      {
        term: 'weighted_f1',
        formula: [$localize`the mean of the labels’ F1, each weighted by its examples`],
        source: $localize`scikit-learn: f1_score(average="weighted")`,
      },
      {
        term: 'balanced_accuracy',
        formula: [$localize`the mean over the labels of: right ÷ examples with that label`],
        source: $localize`scikit-learn: balanced_accuracy_score`,
      },
      {
        term: 'mcc',
        formula: [$localize`the correlation of right and given labels, over the table of both`],
        source: $localize`Matthews 1975; of several labels Gorodkin 2004`,
      },
      {
        term: 'jaccard',
        formula: [$localize`the mean over the examples of: labels in both ÷ labels in either`],
        source: $localize`scikit-learn: jaccard_score(average="samples")`,
      },
    ],
  },
  {
    id: 'probabilities',
    heading: $localize`Metrics of probabilities`,
    lead: $localize`They need the probability that the model gives to each label. A model that gives none lacks them.`,
    topics: [
      {
        term: 'auroc',
        formula: [
          $localize`of all pairs of an example with the label and one without: the share in which the first has the higher probability`,
          $localize`then the mean over the labels`,
        ],
        source: $localize`scikit-learn: roc_auc_score(multi_class="ovr", average="macro")`,
      },
      {
        term: 'brier',
        formula: [$localize`the mean over the examples of: Σ (probability of a label − 1 where it is right, else 0)²`],
        more: [$localize`It is 0 at best, and 200% where the model is always sure and always wrong.`],
        source: $localize`Brier 1950`,
      },
      {
        term: 'log_loss',
        formula: [$localize`the mean of −ln(probability of the right label), in nat`],
        more: [
          $localize`0 is perfect; with two labels, always saying one half gives 0.693. No probability is taken to be below 10⁻¹⁵.`,
        ],
        source: $localize`scikit-learn: log_loss`,
      },
      {
        term: 'ece',
        formula: [$localize`the mean over 15 bins of |share right − mean of the highest probability|, by examples`],
        source: $localize`Guo et al. 2017`,
      },
      {
        term: 'reliability',
        more: [
          $localize`Bars on the diagonal mean that the model is right as often as it says. Below it the model is too sure of itself, above it not sure enough.`,
        ],
      },
    ],
  },
  {
    id: 'texts',
    heading: $localize`Metrics of texts and spans`,
    topics: [
      {
        term: 'exact_match',
        more: [$localize`Capitals, punctuation, the words a, an, the, and extra spaces are ignored.`],
        source: $localize`SQuAD 1.1 (Rajpurkar et al. 2016)`,
      },
      {
        term: 'squad_f1',
        formula: [
          $localize`2 · shared words ÷ (words of the answer + words of the right one), the best over the right ones`,
        ],
        source: $localize`SQuAD 1.1 (Rajpurkar et al. 2016)`,
      },
      {
        term: 'bleu',
        formula: [
          $localize`penalty for short answers · geometric mean of the precision of runs of 1, 2, 3 and 4 words`,
        ],
        more: [$localize`It is of the whole set, so it is not the mean of the examples.`],
        source: $localize`Papineni et al. 2002, as sacreBLEU computes it`,
      },
      {
        term: 'chrf',
        formula: [
          $localize`F-score of runs of 1 to 6 characters, in which what is found counts twice as much as what is right`,
        ],
        source: $localize`Popović 2015, as sacreBLEU computes it`,
      },
      {
        term: 'rouge_l',
        formula: [$localize`F1 of the longest common sequence of words`],
        source: $localize`Lin 2004`,
      },
      {
        term: 'wer',
        formula: [$localize`(changed + added + removed words) ÷ words of the right text, over the whole set`],
        more: [$localize`Capitals and punctuation count. It may exceed 100.`],
      },
      {
        term: 'cer',
        formula: [$localize`(changed + added + removed characters) ÷ characters of the right text, over the whole set`],
      },
    ],
  },
  {
    id: 'numbers',
    heading: $localize`Metrics of numbers`,
    topics: [
      { term: 'mae', formula: [$localize`the mean of |answer − right|, in the unit of the numbers`] },
      { term: 'rmse', formula: [$localize`√ mean of (answer − right)², in the unit of the numbers`] },
      { term: 'pearson', formula: [$localize`covariance ÷ (deviation of the answers · deviation of the right ones)`] },
      { term: 'spearman', formula: [$localize`Pearson’s correlation of the ranks`] },
    ],
  },
  {
    id: 'slices',
    heading: $localize`Parts of the examples`,
    topics: [
      {
        term: 'slice',
        more: [
          $localize`A task names the properties by which its examples are split; an example may be in several slices.`,
        ],
      },
      {
        term: 'worst',
        more: [
          $localize`Slices of fewer than 30 examples are left out. The interval holds for all slices at once, as the worst one is chosen after seeing them.`,
        ],
      },
      { term: 'gap', formula: [$localize`the best slice − the worst slice`] },
      {
        term: 'chance',
        more: [
          $localize`Even where a property does not matter, small slices differ by luck. So it is shuffled which example is in which slice, many times, and the gaps that this gives are shown.`,
        ],
      },
    ],
  },
  {
    id: 'perturbations',
    heading: $localize`Perturbed examples`,
    lead: $localize`Texts are changed in ways that should change no answer, and the model is asked again. People look at the changes: a kind of change that alters too many answers ranks nobody.`,
    topics: [
      { term: 'perturbation' },
      {
        term: 'robustness',
        formula: [$localize`originals that are right with all their variants ÷ originals with variants`],
        more: [
          $localize`Changes are typos, swapped characters, misspellings, capitals, punctuation, spaces, contractions, look-alike letters, invisible characters, split words.`,
        ],
      },
      {
        term: 'fairness',
        formula: [$localize`originals that are right with all their variants ÷ originals with variants`],
        more: [
          $localize`Changes are words and names of another gender, and names of other groups of people. A model that always gives the same answer gains nothing by it, as it must be right too.`,
        ],
      },
      {
        term: 'robustness_stability',
        formula: [
          $localize`the mean over the originals of: the task’s metric between answers to the variants and to the original`,
        ],
        more: [$localize`Always giving one answer is perfectly stable, so by default it weighs nothing.`],
        source: $localize`Ma et al. 2021, “Dynaboard”`,
      },
      {
        term: 'fairness_stability',
        formula: [
          $localize`the mean over the originals of: the task’s metric between answers to the variants and to the original`,
        ],
        source: $localize`Ma et al. 2021, “Dynaboard”`,
      },
    ],
  },
  {
    id: 'costs',
    heading: $localize`Costs`,
    lead: $localize`They are measured while the model runs in its sandbox, one timed model on a host at a time. A file of predictions has none, as nothing ran.`,
    topics: [
      { term: 'throughput', formula: [$localize`examples ÷ seconds, in batches of 64, two under way at once`] },
      {
        term: 'latency_p50',
        more: [$localize`Half of the requests take longer. Empty where there were too few requests to say.`],
      },
      { term: 'latency_p90' },
      { term: 'latency_p95' },
      { term: 'latency_p99' },
      {
        term: 'floor',
        more: [
          $localize`A model that does nothing at all is asked in the same way. Its latency is the part that is not the model’s own: a model at 2.1 ms over a floor of 1.9 ms takes 0.2 ms itself.`,
        ],
      },
      {
        term: 'memory',
        more: [
          $localize`In GiB. In the score it is what is left free below the task’s limit, so that more is better for all metrics that are exchanged.`,
        ],
      },
      { term: 'cold_start' },
      {
        term: 'spread',
        more: [$localize`A cost by which all models differ by no more than 3 spreads does not rank them.`],
      },
      { term: 'contended', more: [$localize`It is measured again, up to three times.`] },
      { term: 'hardware' },
      { term: 'repeatability' },
    ],
  },
];
