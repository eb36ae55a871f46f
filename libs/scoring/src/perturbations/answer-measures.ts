import type { ExampleMetric, Metric, MetricContext, MetricExample, OutputType } from '../metric.js';
import { exactMatch } from '../metrics/exact-match.js';
import { everyRow } from '../recorded/recorded-metric.js';
import { RecordedMetrics } from '../recorded/recorded-metrics.js';
import type { Statistic } from '../resampling/statistic.js';

/** A score in [0, 1] of one answer against its gold. */
export interface RightMeasure {
  /** True if every score is 0 or 1. */
  readonly isBinary: boolean;
  score(example: MetricExample, context: MetricContext): number;
}

/**
 * Returns the measure of whether one answer is right. It is the task's performance metric if that
 * gives each example a score in [0, 1] where higher is better. Otherwise (a set-level metric, or an
 * unbounded error) an answer is right or wrong by its output type: one of the gold labels, SQuAD's
 * exact match, or the same number.
 */
export function rightMeasure(metric: Metric, output: OutputType): RightMeasure {
  if (isGraded(metric)) {
    return {
      isBinary: metric.scores === 'binary',
      score: ({ gold, predicted, probabilities }, context) =>
        metric.perExample(gold, predicted, probabilities, context),
    };
  }
  return { isBinary: true, score: (example, context) => (isRight(example, output, context) ? 1 : 0) };
}

export type StabilityMeasure = (
  own: string | null,
  answers: readonly (string | null)[],
  context: MetricContext,
) => number;

/**
 * Returns the measure of how far the `answers` to the variants of an original agree with the
 * model's own answer to the original: M(answers, [own] × k), in [0, 1]. M is the performance metric
 * if it is 1 for answers that are all the same. Correlations, errors and means over labels that
 * mostly do not occur are not 1; then M is the share of equal answers. A bad answer never equals
 * another.
 */
export function stabilityMeasure(metric: Metric, output: OutputType): StabilityMeasure {
  const right = rightMeasure(metric, output);
  return (own, answers, context) => {
    if (own === null) return 0;
    const examples = answers.map((predicted) => ({ gold: [own], predicted, probabilities: null }));
    const asTarget = examples.map((example) => ({ ...example, predicted: own }));
    // a metric that is a mean is the mean of `right`
    const isOfSets = metric.kind !== 'mean' && isShare(metric);
    if (isOfSets && Math.abs(valueOf(metric, asTarget, context) - 1) < ROUNDING) {
      return valueOf(metric, examples, context);
    }
    return examples.reduce((sum, example) => sum + right.score(example, context), 0) / examples.length;
  };
}

const ROUNDING = 1e-9;

const valueOf = (metric: Metric, examples: readonly MetricExample[], context: MetricContext): number =>
  weighedSet(metric, examples, context)(new Uint8Array(examples.length).fill(1));

const isGraded = (metric: Metric): metric is ExampleMetric => metric.kind === 'mean' && isShare(metric);

/** Returns whether the metric is in [0, 1], better if higher, and defined by answers alone. */
const isShare = (metric: Metric): boolean =>
  metric.direction === 'higher' &&
  metric.range[0] === 0 &&
  metric.range[1] === 1 &&
  metric.needs === undefined &&
  metric.kind !== 'columns';

function isRight({ gold, predicted }: MetricExample, output: OutputType, context: MetricContext): boolean {
  if (predicted === null) return false;
  switch (output) {
    case 'label':
    case 'labels':
      return gold.includes(predicted);
    case 'span':
    case 'text':
      return exactMatch.perExample(gold, predicted, null, context) === 1;
    case 'number':
      return gold.some((number) => Number(number) === Number(predicted));
  }
}

/**
 * Prepares a metric of examples that count several times each, which is how any metric is
 * bootstrapped. NaN if the metric is undefined, for example if it needs probabilities and an
 * example has none.
 */
export function weighedSet(metric: Metric, examples: readonly MetricExample[], context: MetricContext): Statistic {
  if (metric.needs === 'probabilities' && examples.some(({ probabilities }) => probabilities === null))
    return () => NaN;

  const recorded = new RecordedMetrics([metric], context);
  for (const example of examples) recorded.add(example);
  return recorded.all[0]!.statistic(null, everyRow(examples.length));
}
