import type { Clusters, Estimate } from '../estimate.js';
import type { Metric, MetricExample } from '../metric.js';
import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';

/**
 * One metric with what is kept of every example for it. `rows` are numbers of examples in ascending order; null stands for all. A value is NaN
 * where the metric is undefined.
 */
export interface KeptMetric {
  readonly metric: Metric;
  add(example: MetricExample): void;
  /** The metric of these examples with its interval; `seed` names the draws where it needs any. */
  estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate>;
  /** The metric of these examples for draws of groups; `groupOf[i]` is the group of the i-th of `rows`. */
  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic;
  /** A function that gives the metric of any of the examples, in any order, each once. */
  reader(): (rows: Int32Array) => number;
}

export const everyRow = (count: number): Int32Array => Int32Array.from({ length: count }, (_, row) => row);

/** The entries of a column at `rows`; the column itself for all. */
export function pick<T extends Uint8Array | Int32Array | Float64Array>(column: T, rows: Int32Array | null): T {
  if (!rows) return column;

  const picked = column.slice(0, rows.length) as T;
  for (let index = 0; index < rows.length; index++) picked[index] = column[rows[index]!]!;
  return picked;
}
