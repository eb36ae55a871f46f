import type { ExampleMetric, Metric, MetricContext, MetricExample, OutputType } from '../metric.js';
import { exactMatch } from '../metrics/exact-match.js';
import { weighedSet } from './weighed-set.js';

/** A score in [0, 1] of one answer beside its gold. */
export interface RightMeasure {
  /** Every score is 0 or 1. */
  readonly isBinary: boolean;
  score(example: MetricExample, context: MetricContext): number;
}

/**
 * How right one answer is: the task's performance metric where it gives each example a score in [0, 1] that is better the higher it is; of a
 * metric of whole sets, or of errors without a bound, right or wrong by the output: one of the gold labels, SQuAD's exact match, the same number.
 */
export function rightMeasure(metric: Metric, output: OutputType): RightMeasure {
  if (isGraded(metric)) {
    return {
      isBinary: metric.scores === 'binary',
      score: ({ gold, predicted, probabilities }, context) =>
        metric.perExample(gold, predicted, probabilities, context),
    };
  }
  return { isBinary: true, score: (example) => (isRight(example, output) ? 1 : 0) };
}

/**
 * How far the `answers` to the variants of an original are the model's own on the original: M(answers, [own] × k), in [0, 1]. M is the
 * performance metric where it gives 1 to answers that are all the same. A correlation does not, nor an error, nor a mean over labels of which
 * most do not occur: there it is the share of the same answers. A bad answer is never the same as another.
 */
export function stabilityMeasure(
  metric: Metric,
  output: OutputType,
): (own: string | null, answers: readonly (string | null)[], context: MetricContext) => number {
  const right = rightMeasure(metric, output);
  return (own, answers, context) => {
    if (own === null) return 0;
    const examples = answers.map((predicted) => ({ gold: [own], predicted, probabilities: null }));
    const asTarget = examples.map((example) => ({ ...example, predicted: own }));
    if (isShare(metric) && Math.abs(valueOf(metric, asTarget, context) - 1) < ROUNDING) {
      return valueOf(metric, examples, context);
    }
    return examples.reduce((sum, example) => sum + right.score(example, context), 0) / examples.length;
  };
}

const ROUNDING = 1e-9;

const valueOf = (metric: Metric, examples: readonly MetricExample[], context: MetricContext): number =>
  weighedSet(metric, examples, context)(new Uint8Array(examples.length).fill(1));

const isGraded = (metric: Metric): metric is ExampleMetric => metric.kind === 'mean' && isShare(metric);

/** In [0, 1], better the higher, and defined by answers alone. */
const isShare = (metric: Metric): boolean =>
  metric.direction === 'higher' &&
  metric.range[0] === 0 &&
  metric.range[1] === 1 &&
  metric.needs === undefined &&
  metric.kind !== 'columns';

function isRight({ gold, predicted }: MetricExample, output: OutputType): boolean {
  if (predicted === null) return false;
  switch (output) {
    case 'label':
    case 'labels':
      return gold.includes(predicted);
    case 'span':
    case 'text':
      return exactMatch.perExample(gold, predicted) === 1;
    case 'number':
      return gold.some((number) => Number(number) === Number(predicted));
  }
}
