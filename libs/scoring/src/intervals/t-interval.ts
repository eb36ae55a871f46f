import type { Clusters, Estimate } from '../estimate.js';
import { clusterStandardError, mean } from './cluster-standard-error.js';
import { studentT95 } from './student-t.js';

/**
 * The mean of graded `scores` with its t interval over the clusters (each example one of its own without `clusters`), C − 1 degrees of
 * freedom, clipped to `range`. Fewer than two clusters: no interval.
 */
export function meanEstimate(
  scores: ArrayLike<number>,
  clusters: Clusters | null,
  range: readonly [low: number, high: number],
): Estimate {
  const value = mean(scores);
  const units = clusters?.count ?? scores.length;
  if (units < 2) return { value, low: null, high: null, standardError: null };

  const standardError = clusterStandardError(scores, clusters, value);
  const half = studentT95(units - 1) * standardError;
  return { value, low: Math.max(range[0], value - half), high: Math.min(range[1], value + half), standardError };
}
