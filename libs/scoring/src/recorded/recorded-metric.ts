import type { Clusters, Estimate } from '../estimate.js';
import type { Metric, MetricExample } from '../metric.js';
import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';

/**
 * One metric with the numbers stored for it per example. `rows` are numbers of examples in
 * ascending order; null means all. A value is NaN if the metric is undefined.
 */
export interface RecordedMetric {
  readonly metric: Metric;
  add(example: MetricExample): void;
  /**
   * Computes the metric of these examples with its interval. `seed` seeds the draws, if any are
   * needed.
   */
  estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate>;
  /**
   * Returns the metric of these examples for draws of groups; `groupOf[i]` is the group of
   * `rows[i]`.
   */
  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic;
  /**
   * Returns a function that computes the metric of any set of examples, in any order and without
   * duplicates.
   */
  reader(): (rows: Int32Array) => number;
  /** Returns a 1 for each right answer and a 0 for each other; null if answers are not right or wrong. */
  rightAnswers?(): Uint8Array | null;
  /** The same metric as it is defined on a slice; absent if that is no different. */
  readonly onSlice?: RecordedMetric;
}

/** Returns the metric as it is defined on a slice. */
export const onSlice = (recorded: RecordedMetric): RecordedMetric => recorded.onSlice ?? recorded;

export const everyRow = (count: number): Int32Array => Int32Array.from({ length: count }, (_, row) => row);

/** Returns the entries of a column at `rows`; the column itself if `rows` is null. */
export function pick<T extends Uint8Array | Int32Array | Float64Array>(column: T, rows: Int32Array | null): T {
  if (!rows) return column;

  const picked = column.slice(0, rows.length) as T;
  for (let index = 0; index < rows.length; index++) picked[index] = column[rows[index]!]!;
  return picked;
}
