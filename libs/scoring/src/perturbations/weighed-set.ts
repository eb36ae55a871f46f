import type { Metric, MetricContext, MetricExample } from '../metric.js';
import { everyRow } from '../recorded/recorded-metric.js';
import { RecordedMetrics } from '../recorded/recorded-metrics.js';
import type { Statistic } from '../resampling/statistic.js';

/**
 * Prepares a metric of examples that count several times each, which is how any metric is
 * bootstrapped. NaN if the metric is undefined, for example if it needs probabilities and an
 * example has none.
 */
export function weighedSet(metric: Metric, examples: readonly MetricExample[], context: MetricContext): Statistic {
  if (metric.needs && examples.some(({ probabilities }) => probabilities === null)) return () => NaN;

  const recorded = new RecordedMetrics([metric], context);
  for (const example of examples) recorded.add(example);
  return recorded.all[0]!.statistic(null, everyRow(examples.length));
}
