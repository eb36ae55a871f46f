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
          $localize`Percent metrics are averaged by weight. A cost adds points for each halving (throughput: for each doubling), counted from a reference value that is the same for all models. Its weight is divided by the weights of the percent metrics. The score depends on the model, the weights and the benchmark version alone: it does not move when somebody else submits.`,
          $localize`An example: accuracy weighs 4 and throughput 1, the rate is 1 point per doubling, and the reference is 15 examples per second. A has 60% at 246 examples per second. B always gives the same label, with 44.5% at 8,000 examples per second.`,
        ],
        formula: ['A: 60 + ¼ · log₂(246 ÷ 15) = 61.0', 'B: 44.5 + ¼ · log₂(8000 ÷ 15) = 46.8'],
      },
      {
        term: 'amrs',
        more: [
          $localize`The task’s owner sets the rate of each cost in points per doubling. Half the memory is worth its rate times its weight, divided by the weights of the percent metrics.`,
          $localize`The published Dynascore (amrs=live, or exchange: amrs of a task) takes the rates from the models instead: neighbours in the order of performance are compared, and the rate is the mean of their differences in the metric, divided by their differences in performance (AMRS, average marginal rate of substitution). It changes with every model. Boards from before fixed rates used the median.`,
        ],
        formula: [
          $localize`score = Σ weight · percent ÷ W + Σ weight ÷ W · rate · log₂(reference ÷ cost), W: the weights of the percent metrics`,
          $localize`AMRS of a metric = mean over neighbours of |difference in the metric| ÷ difference in performance`,
        ],
        source: $localize`AMRS: Ma et al. 2021, “Dynaboard”, section 4`,
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
          $localize`means: Student’s t over the clusters, or Wilson’s near the ends of the range`,
          $localize`others: 1,000 resamples of the clusters (BCa bootstrap); below 30 effective examples or five clusters, none`,
        ],
      },
      {
        term: 'rank',
        more: [
          $localize`The interval is given by the same comparisons of all pairs: it is behind all models that are significantly better and ahead of all that are significantly worse. The examples are resampled 1,000 times, in the same way for all models; copies of a model count as one.`,
        ],
      },
      {
        term: 'tie',
        more: [
          $localize`All pairs of models are compared at once, so that any wrong decision among them has a probability of at most 5%. Where two models differ on fewer than ten examples, exact bounds are used. On the board, the rows tied with the one that you point at are marked.`,
        ],
      },
      { term: 'first', source: $localize`Mogstad, Romano, Shaikh and Wilhelm 2024, “Inference for ranks”` },
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
      { term: 'baseline' },
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
