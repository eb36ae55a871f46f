import type { Clusters, Partition } from '../estimate.js';
import { clusterSums, mean } from './cluster-sums.js';

/** The fewest clusters for which an interval is given. */
export const FEWEST_CLUSTERS = 5;

/** The standard error of a mean with the degrees of freedom of its t distribution. */
export interface ClusteredError {
  readonly standardError: number;
  readonly freedom: number;
}

/** Clusters of equal size and equal sum: `times` clusters of `examples` scores, whose sum is `sum`. */
export interface ClusterGroup {
  readonly examples: number;
  readonly sum: number;
  readonly times: number;
}

/**
 * Returns the standard error of a mean over clusters with the small-sample correction of Bell and
 * McCaffrey (2002): CR2 residuals and Satterthwaite degrees of freedom. With N examples, of which
 * cluster c has the share p_c and the residual sum e_c:
 *
 *     SE² = 1/N² Σ_c e_c² / (1 − p_c)
 *     df  = 1 / (Σ p_c² + (Σ q_c)² − Σ q_c²),  q_c = p_c² / (1 − p_c)
 *
 * For clusters of equal size this is the usual t with C − 1 degrees of freedom. The standard error
 * is NaN for a single cluster.
 */
export function bellMcCaffrey(groups: readonly ClusterGroup[]): ClusteredError {
  let examples = 0;
  let sum = 0;
  for (const group of groups) {
    examples += group.times * group.examples;
    sum += group.times * group.sum;
  }
  const mean = sum / examples;
  let squares = 0;
  let shares = 0;
  let leverages = 0;
  let squaredLeverages = 0;
  for (const group of groups) {
    const share = group.examples / examples;
    const residual = group.sum - mean * group.examples;
    const leverage = (share * share) / (1 - share);
    squares += (group.times * residual * residual) / (1 - share);
    shares += group.times * share * share;
    leverages += group.times * leverage;
    squaredLeverages += group.times * leverage * leverage;
  }
  return {
    standardError: Math.sqrt(squares) / examples,
    freedom: 1 / (shares + leverages * leverages - squaredLeverages),
  };
}

/**
 * Combines the errors of two crossed ways of clustering and of the groups that share both (Cameron,
 * Gelbach & Miller 2011): V_one + V_other − V_both, at least the larger of V_one and V_other, with
 * the smaller degrees of freedom.
 */
export function crossedError(one: ClusteredError, other: ClusteredError, both: ClusteredError): ClusteredError {
  return {
    standardError: crossedStandardError(one.standardError, other.standardError, both.standardError),
    freedom: Math.min(one.freedom, other.freedom),
  };
}

/** Combines standard errors as `crossedError` does. */
export function crossedStandardError(one: number, other: number, both: number): number {
  const [ofOne, ofOther] = [one ** 2, other ** 2];
  return Math.sqrt(Math.max(ofOne + ofOther - both ** 2, ofOne, ofOther));
}

/**
 * Returns the error of the mean of `scores` over clusters, which may be crossed. Without `clusters`
 * each example is a cluster.
 */
export function clusteredError(scores: ArrayLike<number>, clusters: Clusters | null): ClusteredError {
  if (!clusters) return { standardError: independentError(scores), freedom: scores.length - 1 };
  const { crossed } = clusters;
  const error = partitionError(scores, clusters);
  return crossed
    ? crossedError(error, partitionError(scores, crossed.second), partitionError(scores, crossed.both))
    : error;
}

function partitionError(scores: ArrayLike<number>, clusters: Partition): ClusteredError {
  const sums = clusterSums(scores, clusters);
  const sizes = new Float64Array(clusters.count);
  for (let index = 0; index < scores.length; index++) sizes[clusters.of[index]!]! += 1;
  return bellMcCaffrey(Array.from(sums, (sum, cluster) => ({ examples: sizes[cluster]!, sum, times: 1 })));
}

function independentError(scores: ArrayLike<number>): number {
  const average = mean(scores);
  let squares = 0;
  for (let index = 0; index < scores.length; index++) squares += (scores[index]! - average) ** 2;
  return Math.sqrt(squares / (scores.length - 1) / scores.length);
}
