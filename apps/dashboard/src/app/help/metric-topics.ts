import { PERFORMANCE_TOPICS } from './metric-topics.gen.js';
import type { TopicGroup } from './topic.js';

/** Topics on metrics, slices, perturbations and costs. */
export const METRIC_TOPICS: readonly TopicGroup[] = [
  {
    id: 'labels',
    heading: $localize`Metrics of labels`,
    lead: $localize`For tasks whose answer is one label or several. Shares are shown in percent. An answer that cannot be read counts as wrong.`,
    topics: PERFORMANCE_TOPICS.labels,
  },
  {
    id: 'probabilities',
    heading: $localize`Metrics of probabilities`,
    lead: $localize`They need a probability for each label. A model that gives none lacks these metrics.`,
    topics: [
      ...PERFORMANCE_TOPICS.probabilities,
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
    topics: PERFORMANCE_TOPICS.texts,
  },
  {
    id: 'numbers',
    heading: $localize`Metrics of numbers`,
    topics: PERFORMANCE_TOPICS.numbers,
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
        term: 'robustness_mean',
        formula: [
          $localize`for each transform: the mean over the originals of the share of variants where original and variant are both right`,
          $localize`robustness_mean = the mean over the transforms`,
        ],
        more: [
          $localize`It does not depend on how many variants there are, so it compares datasets. New tasks weigh it by default. Transforms with fewer than 30 originals are left out.`,
        ],
      },
      {
        term: 'fairness_mean',
        formula: [
          $localize`for each transform: the mean over the originals of the share of variants where original and variant are both right`,
          $localize`fairness_mean = the mean over the transforms`,
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
      {
        term: 'cpu_time',
        formula: [$localize`CPU seconds of all processes of the model ÷ examples, in batches, each example once`],
        more: [
          $localize`It counts the model’s own work, whatever else uses the host: it hardly changes between a busy and a quiet hour. A model that uses two cores at once takes twice the CPU time of its duration. Single timed requests and the warm-up do not count.`,
        ],
      },
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
      { term: 'contended', more: [$localize`It is measured again, at most once a day and three times in a row.`] },
      {
        term: 'short',
        more: [$localize`The inputs of a measurement never repeat, so that a cache of answers gains nothing.`],
      },
      { term: 'hardware' },
      { term: 'repeatability' },
    ],
  },
];
