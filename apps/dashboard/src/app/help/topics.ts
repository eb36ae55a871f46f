import { METRIC_TOPICS } from './metric-topics.js';
import type { TopicGroup } from './topic.js';

/** Topics on the leaderboard: scores, ranks and their limits. */
const BOARD_TOPICS: readonly TopicGroup[] = [
  {
    id: 'score',
    heading: $localize`The score`,
    topics: [
      {
        term: 'dynascore',
        more: [
          $localize`Every metric that weighs is first turned into points of the performance metric by its exchange rate, then the points are averaged by weight. So a second of speed and a percent of accuracy can stand in one number.`,
          $localize`An example: accuracy weighs 4 and memory 1, and models may use 4 GiB. A has 80% and leaves 3.0 GiB free, B has 78% and leaves 3.5 GiB free. B gives up 2 points for 0.5 GiB, so one point is worth 0.25 GiB: that is the exchange rate of memory.`,
        ],
        formula: ['A: (4 · 80 + 1 · 3.0 ÷ 0.25) ÷ 5 = 66.4', 'B: (4 · 78 + 1 · 3.5 ÷ 0.25) ÷ 5 = 65.2'],
        source: $localize`Ma et al. 2021, “Dynaboard”, section 4`,
      },
      {
        term: 'amrs',
        more: [
          $localize`Models are put in the order of their performance. Between neighbours, how far they differ in the metric is divided by how far they differ in performance; the rate is the median of these. It is kept for a benchmark version, so that scores do not move when somebody else submits.`,
          $localize`AMRS stands for average marginal rate of substitution. A rate of 0 means that the models do not differ in the metric: its weight goes to the others.`,
        ],
        formula: [
          $localize`AMRS of a metric = median over neighbours of |difference in the metric| ÷ difference in performance`,
          $localize`score = Σ weight · value ÷ AMRS, by Σ weights`,
        ],
        source: $localize`Ma et al. 2021, who take the mean; the median is moved less by copies of a model`,
      },
      {
        term: 'weight',
        more: [
          $localize`The task’s owner sets weights; you may set your own on the board, and the address keeps them. The official rank stays beside yours.`,
          $localize`Over datasets, static ones have a share of their own, and newer rounds count more than older ones.`,
        ],
      },
      { term: 'provisional' },
      {
        term: 'degenerate',
        more: [$localize`There is one model, or all perform alike, or no other metric separates them.`],
      },
      { term: 'stability', more: [$localize`The share among 1,000 random weights around the given ones.`] },
      { term: 'front' },
    ],
  },
  {
    id: 'certainty',
    heading: $localize`Calibration`,
    topics: [
      {
        term: 'interval',
        more: [
          $localize`Examples that come from one source, such as the same passage, are alike; they are counted together, not as independent.`,
        ],
        formula: [
          $localize`shares: Wilson’s interval, at the effective number of examples`,
          $localize`means: Student’s t over the clusters; else 1,000 resamples of the clusters`,
        ],
      },
      {
        term: 'rank',
        more: [
          $localize`The examples are resampled 1,000 times, in the same way for all models, and the models are ranked each time.`,
        ],
      },
      {
        term: 'tie',
        more: [
          $localize`In the same redraws the interval of their difference to the first of the group holds 0, corrected for looking at many pairs. On the board they share its bracket.`,
        ],
      },
      { term: 'first' },
      { term: 'difference' },
      {
        term: 'p_value',
        more: [
          $localize`By McNemar’s test where answers are right or wrong, otherwise by flipping the signs of whole clusters.`,
        ],
      },
      { term: 'holm' },
      { term: 'discordant' },
      { term: 'detectable', formula: [$localize`2.8 · standard error of the difference`] },
    ],
  },
  {
    id: 'fair-play',
    heading: $localize`What to keep in mind`,
    topics: [
      {
        term: 'exposure',
        more: [
          $localize`Such a model may have been trained on the data. The board can rank clean models only: those that were submitted before.`,
        ],
      },
      {
        term: 'own',
        more: [
          $localize`People looked for what fools that model. So its own result there says nothing, and it is estimated.`,
        ],
      },
      { term: 'rounded' },
      {
        term: 'own_evaluator',
        more: [
          $localize`The owner of a task can register evaluators that run models on it. The model page shows which datasets they answered or measured.`,
        ],
      },
      { term: 'estimated', formula: [$localize`a least-squares fit of model + dataset, over all other results`] },
      { term: 'reference' },
      { term: 'majority' },
      { term: 'random' },
      {
        term: 'human',
        more: [
          $localize`Only where at least two others answered and agree; over all written examples, rejected ones included.`,
        ],
      },
      { term: 'attempts' },
      { term: 'pending' },
      { term: 'incomplete', more: [$localize`A missing figure is never counted as 0.`] },
      { term: 'benchmark_version' },
      { term: 'board_revision' },
    ],
  },
];

/** Topics on collecting examples. */
const COLLECTION_TOPICS: readonly TopicGroup[] = [
  {
    id: 'collection',
    heading: $localize`Collecting examples`,
    topics: [
      { term: 'task' },
      { term: 'round' },
      {
        term: 'loop',
        more: [
          $localize`The best models of the board are put there by the task’s rule, unless their owners keep them out.`,
        ],
      },
      { term: 'context' },
      { term: 'annotation' },
      {
        term: 'validation',
        more: [
          $localize`You label the example first; then the author’s label is shown, and you say whether it is right.`,
        ],
      },
      { term: 'fooled' },
      {
        term: 'vmer',
        formula: [$localize`examples that are validated and fooled ÷ written examples`],
        more: [
          $localize`The lower it is, the harder the models are to fool. Retracted examples are left out. An example that is not validated yet counts as if it had not fooled, so the rate is a lower bound until all are validated. Its interval takes into account that one person’s examples are alike.`,
        ],
        source: $localize`Nie et al. 2020; Kiela et al. 2021, “Dynabench”`,
      },
      {
        term: 'errorRateAmongValidated',
        formula: [$localize`examples that are validated and fooled ÷ validated examples`],
        more: [
          $localize`It tells how often the models are wrong on correct examples, whatever share of the examples is correct.`,
        ],
      },
      { term: 'mer', formula: [$localize`examples that fooled ÷ written examples`] },
      {
        term: 'yield',
        formula: [$localize`examples that are validated and fooled ÷ examples whose validation is over`],
      },
      { term: 'agreement', source: $localize`Krippendorff’s alpha` },
      {
        term: 'saturation',
        formula: [$localize`(best − people) ÷ |first model − people|`],
        more: [
          $localize`A dataset on which models have reached human performance will soon not separate them. Without a human reference, progress is not known.`,
        ],
        source: $localize`Kiela et al. 2021, “Dynabench”, figure 1`,
      },
    ],
  },
  {
    id: 'data',
    heading: $localize`Data`,
    topics: [{ term: 'dataset_role' }, { term: 'dataset_use' }, { term: 'visibility' }],
  },
];

export const TOPIC_GROUPS: readonly TopicGroup[] = [...BOARD_TOPICS, ...METRIC_TOPICS, ...COLLECTION_TOPICS];
