import { cellTable, labelCountsOf, LabelCells } from '../../../libs/scoring/src/label-cells.js';
import type { Metric, MetricContext, MetricExample } from '../../../libs/scoring/src/metric.js';

const NO_LABELS: MetricContext = { labels: [] };

/** Computes a metric directly. Each example counts once, or `times[index]` times. */
export function metricValue(
  metric: Metric,
  examples: readonly MetricExample[],
  context: MetricContext = NO_LABELS,
  times: readonly number[] = examples.map(() => 1),
): number {
  const n = times.reduce((sum, count) => sum + count, 0);
  switch (metric.kind) {
    case 'mean': {
      const scores = examples.map((each) =>
        metric.perExample(each.gold, each.predicted, each.probabilities, context, each.spans),
      );
      return scores.reduce((sum, score, index) => sum + score * times[index]!, 0) / n;
    }
    case 'labels': {
      const cells = new LabelCells();
      const table = cellTable(
        cells,
        Int32Array.from(examples, (each) => cells.cellOf(each.gold, each.predicted)),
      );
      const counts = new Float64Array(table.cells);
      for (const [index, count] of times.entries()) counts[table.of[index]!]! += count;
      return metric.fromLabels(labelCountsOf(table)(counts));
    }
    case 'sums': {
      const width = metric.width(context);
      const sums = new Float64Array(width);
      for (const [index, example] of examples.entries()) {
        const row = new Float64Array(width + 2);
        metric.contribute(example, row, 1, context);
        for (let at = 0; at < width; at++) sums[at]! += row[at + 1]! * times[index]!;
      }
      return metric.fromSums(sums, context);
    }
    case 'columns': {
      const width = metric.width(context);
      const columns = new Float64Array(width * examples.length);
      for (const [index, example] of examples.entries()) metric.read(example, columns, index * width, context);
      return metric.prepare(columns, examples.length, context)(times);
    }
  }
}

/** Returns an example in the form that metrics take, with one gold label or several. */
export const metricExample = (
  gold: string | readonly string[],
  predicted: string | null,
  probabilities: readonly number[] | null = null,
): MetricExample => ({ gold: typeof gold === 'string' ? [gold] : gold, predicted, probabilities });
