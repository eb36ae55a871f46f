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
 * Returns the standard error of a mean over two crossed ways of clustering (Cameron, Gelbach & Miller
 * 2011). Its degrees of freedom are the smaller ones of the two ways. Those of a way are the mean of
 * `bellMcCaffrey` and `correlatedFreedom`: in simulated rounds, intervals contain the true value in
 * 93.0% with the first alone, in up to 97.6% with the second, and in 94.5 to 96.2% with their mean.
 * @param both the groups of examples that share both clusters
 */
export function crossedError(
  one: readonly ClusterGroup[],
  other: readonly ClusterGroup[],
  both: readonly ClusterGroup[],
): ClusteredError {
  const ofBoth = bellMcCaffrey(both).standardError;
  const ways = [one, other].map((groups) => {
    const { standardError, freedom } = bellMcCaffrey(groups);
    return { standardError, freedom: (freedom + correlatedFreedom(groups, standardError, ofBoth)) / 2 };
  });
  return {
    standardError: crossedStandardError(ways[0]!.standardError, ways[1]!.standardError, ofBoth),
    freedom: Math.min(...ways.map(({ freedom }) => freedom)),
  };
}

/**
 * Combines the standard errors of two crossed ways of clustering and of the groups that share both:
 * V_one + V_other − V_both, at least the larger of V_one and V_other.
 */
export function crossedStandardError(one: number, other: number, both: number): number {
  const [ofOne, ofOther] = [one ** 2, other ** 2];
  return Math.sqrt(Math.max(ofOne + ofOther - both ** 2, ofOne, ofOther));
}

/**
 * Returns Satterthwaite's degrees of freedom of V if the examples of a cluster correlate as much as
 * they seem to (Imbens & Kolesár 2016). The sum of a cluster of n among N examples then has the
 * variance
 *
 *     v = n s² + n (n − 1) c,  s² = N V_both,  c = N² (V − V_both) / Σ n (n − 1), at least 0
 *
 * and df = tr(AΣ)² / tr(AΣAΣ) for the covariances Σ of the residual sums and A = diag(1 / (1 − p)).
 * With c = 0 they are those of `bellMcCaffrey`.
 *
 * @param error √V over these clusters
 * @param ofBoth √V_both, over the groups of examples that share both clusters
 */
export function correlatedFreedom(groups: readonly ClusterGroup[], error: number, ofBoth: number): number {
  const total = (of: (group: ClusterGroup) => number): number =>
    groups.reduce((sum, group) => sum + group.times * of(group), 0);
  const examples = total((group) => group.examples);
  const pairs = total((group) => group.examples * (group.examples - 1));
  const shared = pairs > 0 ? Math.max(0, (examples ** 2 * (error ** 2 - ofBoth ** 2)) / pairs) : 0;
  // of scores that are all equal: as if they were independent
  const single = ofBoth > 0 ? examples * ofBoth ** 2 : 1;
  const varianceOf = ({ examples: size }: ClusterGroup): number => size * single + size * (size - 1) * shared;
  const variance = total(varianceOf);

  let trace = 0;
  let [shares, squares, products, own] = [0, 0, 0, 0];
  for (const group of groups) {
    const share = group.examples / examples;
    const ofGroup = varianceOf(group);
    const weight = 1 / (1 - share);
    const common = share * share * variance - 2 * share * ofGroup;
    shares += group.times * weight * share * share;
    squares += group.times * weight * ofGroup * ofGroup;
    products += group.times * weight * share * ofGroup;
    trace += group.times * weight * (ofGroup + common);
    own += group.times * weight * weight * ((ofGroup + common) ** 2 - common ** 2);
  }
  // two clusters with shares p and q and variances v and w have the covariance p q Σv − p w − q v
  const pairwise = 2 * shares * squares + 2 * products ** 2 + (shares * variance) ** 2;
  return trace ** 2 / (pairwise - 4 * shares * products * variance + own);
}

/**
 * Returns the error of the mean of `scores` over clusters, which may be crossed. Without `clusters`
 * each example is a cluster.
 */
export function clusteredError(scores: ArrayLike<number>, clusters: Clusters | null): ClusteredError {
  if (!clusters) return { standardError: independentError(scores), freedom: scores.length - 1 };
  const { crossed } = clusters;
  const groups = groupsOf(scores, clusters);
  return crossed
    ? crossedError(groups, groupsOf(scores, crossed.second), groupsOf(scores, crossed.both))
    : bellMcCaffrey(groups);
}

function groupsOf(scores: ArrayLike<number>, clusters: Partition): ClusterGroup[] {
  const sums = clusterSums(scores, clusters);
  const sizes = new Float64Array(clusters.count);
  for (let index = 0; index < scores.length; index++) sizes[clusters.of[index]!]! += 1;
  return Array.from(sums, (sum, cluster) => ({ examples: sizes[cluster]!, sum, times: 1 }));
}

function independentError(scores: ArrayLike<number>): number {
  const average = mean(scores);
  let squares = 0;
  for (let index = 0; index < scores.length; index++) squares += (scores[index]! - average) ** 2;
  return Math.sqrt(squares / (scores.length - 1) / scores.length);
}
