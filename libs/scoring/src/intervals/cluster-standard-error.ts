import type { Clusters } from '../estimate.js';

/**
 * Returns the arithmetic mean.
 *
 * @throws RangeError without values
 */
export function mean(values: ArrayLike<number>): number {
  if (values.length === 0) throw new RangeError('a mean needs at least one value');

  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
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
  const squares = clusters ? clusterSquares(scores, clusters, average) : exampleSquares(scores, average);
  return Math.sqrt((units / (units - 1)) * squares) / scores.length;
}

function exampleSquares(scores: ArrayLike<number>, average: number): number {
  let squares = 0;
  for (let index = 0; index < scores.length; index++) {
    const deviation = scores[index]! - average;
    squares += deviation * deviation;
  }
  return squares;
}

function clusterSquares(scores: ArrayLike<number>, clusters: Clusters, average: number): number {
  const deviations = new Float64Array(clusters.count);
  for (let index = 0; index < scores.length; index++) deviations[clusters.of[index]!]! += scores[index]! - average;

  let squares = 0;
  for (let cluster = 0; cluster < deviations.length; cluster++) squares += deviations[cluster]! * deviations[cluster]!;
  return squares;
}
