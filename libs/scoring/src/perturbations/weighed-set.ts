import { cellTable, LabelCells, labelCountsOf } from '../label-cells.js';
import type { ExampleMetric, LabelMetric, Metric, MetricContext, MetricExample, SumsMetric } from '../metric.js';

/** How often each example counts, in the order of the examples. */
type Times = ArrayLike<number>;

/**
 * Prepares a metric of examples that count several times each, which is how any metric is
 * bootstrapped. NaN if the metric is undefined, for example if it needs probabilities and an
 * example has none.
 */
export function weighedSet(
  metric: Metric,
  examples: readonly MetricExample[],
  context: MetricContext,
): (times: Times) => number {
  if (metric.needs && examples.some(({ probabilities }) => probabilities === null)) return () => Number.NaN;

  switch (metric.kind) {
    case 'mean':
      return weighedMean(metric, examples, context);
    case 'labels':
      return weighedLabels(metric, examples);
    case 'sums':
      return weighedSums(metric, examples, context);
    case 'columns': {
      const width = metric.width(context);
      const columns = new Float64Array(examples.length * width);
      for (const [index, example] of examples.entries()) metric.read(example, columns, index * width, context);
      return metric.prepare(columns, examples.length, context);
    }
  }
}

function weighedMean(
  metric: ExampleMetric,
  examples: readonly MetricExample[],
  context: MetricContext,
): (times: Times) => number {
  const scores = Float64Array.from(examples, ({ gold, predicted, probabilities }) =>
    metric.perExample(gold, predicted, probabilities, context),
  );
  return (times) => {
    let sum = 0;
    let count = 0;
    for (let index = 0; index < scores.length; index++) {
      sum += times[index]! * scores[index]!;
      count += times[index]!;
    }
    return sum / count;
  };
}

function weighedLabels(metric: LabelMetric, examples: readonly MetricExample[]): (times: Times) => number {
  const cells = new LabelCells();
  const of = Int32Array.from(examples, ({ gold, predicted }) => cells.cellOf(gold, predicted));
  const table = cellTable(cells, of);
  const countsOf = labelCountsOf(table);
  const counts = new Float64Array(table.cells);
  return (times) => {
    counts.fill(0);
    for (let index = 0; index < table.of.length; index++) counts[table.of[index]!]! += times[index]!;
    return metric.fromLabels(countsOf(counts));
  };
}

function weighedSums(
  metric: SumsMetric,
  examples: readonly MetricExample[],
  context: MetricContext,
): (times: Times) => number {
  const width = metric.width(context);
  const contributions = new Float64Array(examples.length * width);
  for (const [index, example] of examples.entries()) metric.contribute(example, contributions, index * width, context);
  const sums = new Float64Array(width);
  return (times) => {
    sums.fill(0);
    for (let index = 0; index < examples.length; index++) {
      for (let column = 0; column < width; column++) {
        sums[column]! += times[index]! * contributions[index * width + column]!;
      }
    }
    return metric.fromSums(sums, context);
  };
}
