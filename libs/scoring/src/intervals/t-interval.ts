import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { clusterStandardError, mean } from './cluster-standard-error.js';
import { studentT95 } from './student-t.js';

/**
 * Returns the mean of graded `scores` with its t interval over the clusters (C − 1 degrees of
 * freedom), clipped to `range`. Without `clusters` each example is a cluster. No interval for fewer
 * than two clusters.
 */
export function meanEstimate(
  scores: ArrayLike<number>,
  clusters: Clusters | null,
  range: readonly [low: number, high: number],
): Estimate {
  const value = mean(scores);
  const units = clusters?.count ?? scores.length;
  if (units < 2) return bareEstimate(value);

  const standardError = clusterStandardError(scores, clusters, value);
  const half = studentT95(units - 1) * standardError;
  return { value, low: Math.max(range[0], value - half), high: Math.min(range[1], value + half), standardError };
}
