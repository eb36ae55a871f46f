import type { Clusters } from '../estimate.js';
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

/**
 * Returns the standard error of the mean of `scores`, where C is the number of clusters:
 *
 *     (1/n) √( C/(C−1) · Σ_c (Σ_{i∈c}(s_i − s̄))² )
 *
 * Without `clusters` each example is a cluster. Infinite or NaN for C < 2.
 *
 * @param average the mean s̄
 */
export function clusterStandardError(scores: ArrayLike<number>, clusters: Clusters | null, average: number): number {
  const units = clusters?.count ?? scores.length;
  const squares = clusters ? squaresAbout(clusterSums(scores, clusters, average), 0) : squaresAbout(scores, average);
  return Math.sqrt((units / (units - 1)) * squares) / scores.length;
}

function squaresAbout(scores: ArrayLike<number>, average: number): number {
  let squares = 0;
  for (let index = 0; index < scores.length; index++) {
    const deviation = scores[index]! - average;
    squares += deviation * deviation;
  }
  return squares;
}

/** Returns, per cluster, the sum of the scores of its examples, each minus `average`. */
export function clusterSums(scores: ArrayLike<number>, clusters: Clusters, average = 0): Float64Array {
  const sums = new Float64Array(clusters.count);
  for (let index = 0; index < scores.length; index++) sums[clusters.of[index]!]! += scores[index]! - average;
  return sums;
}
