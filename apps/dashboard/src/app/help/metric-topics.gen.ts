// npm run generate writes this file from the metrics in libs/scoring/src/metrics
import type { Topic } from './topic.js';

export const PERFORMANCE_TOPICS = {
  labels: [
    {
      term: 'accuracy',
      formula: [$localize`correct answers ÷ examples`],
      more: [$localize`If an example has several acceptable labels, any of them is correct. If it has several labels at once, the answer must have all of them and no other.`],
    },
    {
      term: 'balanced_accuracy',
      formula: [$localize`mean over the labels of: correct answers ÷ examples with that label`],
      source: $localize`scikit-learn: balanced_accuracy_score`,
    },
    {
      term: 'macro_f1',
      formula: [$localize`F1 of a label = 2 · true positives ÷ (2 · true positives + false negatives + false positives)`, $localize`macro F1 = mean F1 over the labels`],
      source: $localize`scikit-learn: f1_score(average="macro", zero_division=0)`,
    },
    {
      term: 'mcc',
      formula: [$localize`the correlation of gold and predicted labels, from their confusion matrix`],
      source: $localize`Matthews 1975; for several labels Gorodkin 2004`,
    },
    {
      term: 'mean_absolute_rank_error',
      formula: [$localize`mean of |rank of the predicted label − rank of the correct label|`],
      more: [$localize`The scale is the list of labels in the task, so that order matters. Neighbours are one step apart.`],
      source: $localize`scikit-learn: mean_absolute_error of the ranks`,
    },
    {
      term: 'micro_f1',
      formula: [$localize`2 · true positives ÷ (2 · true positives + false negatives + false positives), over all labels together`],
      more: [$localize`If every example has one label, it equals the accuracy.`],
      source: $localize`scikit-learn: f1_score(average="micro")`,
    },
    {
      term: 'quadratic_kappa',
      formula: [$localize`1 − Σ observed(i, j) · (i − j)² ÷ Σ expected(i, j) · (i − j)²`, $localize`expected(i, j) = examples with gold i · examples with prediction j ÷ examples`],
      more: [$localize`The scale is the list of labels in the task, so that order matters. Neighbours are one step apart.`],
      source: $localize`Cohen 1968; scikit-learn: cohen_kappa_score(weights="quadratic")`,
    },
    {
      term: 'weighted_f1',
      formula: [$localize`mean F1 over the labels, each weighted by its number of examples`],
      source: $localize`scikit-learn: f1_score(average="weighted")`,
    },
    {
      term: 'jaccard',
      formula: [$localize`mean over the examples of: labels in both ÷ labels in either`],
      source: $localize`scikit-learn: jaccard_score(average="samples")`,
    },
  ],
  probabilities: [
    {
      term: 'auroc',
      formula: [$localize`over all pairs of an example with the label and one without: the share in which the first has the higher probability`, $localize`then the mean over the labels`],
      source: $localize`scikit-learn: roc_auc_score(multi_class="ovr", average="macro")`,
    },
    {
      term: 'brier',
      formula: [$localize`mean over the examples of: Σ (probability of a label − 1 if it is correct, else 0)²`],
      more: [$localize`The best value is 0. The worst is 200%, for a model that is always certain and always wrong.`],
      source: $localize`Brier 1950`,
    },
    {
      term: 'ece',
      formula: [$localize`mean over 15 bins, weighted by their examples, of |accuracy − mean probability of the given label|`],
      source: $localize`Guo et al. 2017`,
    },
    {
      term: 'log_loss',
      formula: [$localize`mean of −ln(probability of the correct label), in nats`],
      more: [$localize`0 is perfect. With two labels, always predicting one half gives 0.693. Probabilities below 10⁻¹⁵ count as 10⁻¹⁵.`],
      source: $localize`scikit-learn: log_loss`,
    },
  ],
  texts: [
    {
      term: 'exact_match',
      more: [$localize`Case, punctuation, articles (in English a, an and the) and extra spaces are ignored. The language of the task decides which.`],
      source: $localize`SQuAD 1.1 (Rajpurkar et al. 2016); in other languages than English MLQA (Lewis et al. 2020)`,
    },
    {
      term: 'span_f1',
      formula: [$localize`2 · shared characters ÷ (characters of the answer + characters of the correct answer), the highest over the correct answers`],
      more: [$localize`Positions are in Unicode characters. A model gives them as \`start\` and \`end\` of its answer, a dataset as \`<output>_start\` or \`answer_start\` beside its correct answers. Without a position, the first occurrence in the text counts; an answer that does not occur there is wrong. An empty answer is right where an empty one is correct.`],
    },
    {
      term: 'squad_f1',
      formula: [$localize`2 · shared words ÷ (words of the answer + words of the correct answer), the highest over the correct answers`],
      source: $localize`SQuAD 1.1 (Rajpurkar et al. 2016); in other languages than English MLQA (Lewis et al. 2020)`,
    },
    {
      term: 'token_f1',
      formula: [$localize`2 · shared tokens ÷ (tokens of the answer + tokens of the correct answer), the highest over the correct answers`],
      more: [$localize`A token is a run of letters and digits, one punctuation mark or symbol, or one Chinese or Japanese character. Texts are compared in Unicode normalisation form C.`],
    },
    {
      term: 'bleu',
      formula: [$localize`brevity penalty · geometric mean of the precision of n-grams of 1, 2, 3 and 4 words`],
      more: [$localize`It is computed over the whole dataset, so it is not the mean over the examples.`],
      source: $localize`Papineni et al. 2002, as sacreBLEU computes it, divided by 100`,
    },
    {
      term: 'cer',
      formula: [$localize`(substituted + inserted + deleted characters) ÷ characters of the reference, over the whole dataset`],
    },
    {
      term: 'chrf',
      formula: [$localize`F-score of n-grams of 1 to 6 characters; recall counts twice as much as precision`],
      source: $localize`Popović 2015, as sacreBLEU computes it, divided by 100`,
    },
    {
      term: 'rouge_l',
      formula: [$localize`F1 of the longest common subsequence of words`],
      source: $localize`Lin 2004`,
    },
    {
      term: 'wer',
      formula: [$localize`(substituted + inserted + deleted words) ÷ words of the reference, over the whole dataset`],
      more: [$localize`Case and punctuation count. It may exceed 100%.`],
    },
  ],
  numbers: [
    {
      term: 'mae',
      formula: [$localize`mean of |predicted − correct|, in the unit of the numbers`],
    },
    {
      term: 'pearson',
      formula: [$localize`covariance ÷ (standard deviation of the predicted numbers · standard deviation of the correct numbers)`],
    },
    {
      term: 'rmse',
      formula: [$localize`√ mean of (predicted − correct)², in the unit of the numbers`],
    },
    {
      term: 'spearman',
      formula: [$localize`Pearson’s correlation of the ranks`],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Topic[]>>;
