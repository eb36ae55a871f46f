import type { Partition } from '../estimate.js';
import { total } from '../label-counts.js';

/**
 * Returns the arithmetic mean.
 *
 * @throws RangeError without values
 */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new RangeError('a mean needs at least one value');
  return total(values) / values.length;
}

/** Returns, per cluster, the sum of the scores of its examples, each minus `average`. */
export function clusterSums(scores: ArrayLike<number>, clusters: Partition, average = 0): Float64Array {
  const sums = new Float64Array(clusters.count);
  for (let index = 0; index < scores.length; index++) sums[clusters.of[index]!]! += scores[index]! - average;
  return sums;
}
