import { fewestClusters } from '../crossed-clusters.js';
import type { Clusters } from '../estimate.js';
import { clusteredError, FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { clusterSums, mean } from '../intervals/cluster-sums.js';

/** How far the difference of two models varies from example to example on one dataset. */
export interface PairedSpread {
  /** The number of examples. */
  readonly examples: number;
  /** The mean of the first model minus that of the second. */
  readonly difference: number;
  /** n · SE², the variance per example. It includes the dependence of the examples of one cluster. */
  readonly variance: number;
  /** `variance` ÷ the variance of independent examples; null if that is unknown. */
  readonly designEffect: number | null;
  /** The relative standard error of `variance`; null if it is unknown. */
  readonly relativeError: number | null;
  /** The degrees of freedom of `variance`. */
  readonly freedom: number;
}

/**
 * Returns the spread of the paired differences of two models. The variance is that of Bell and
 * McCaffrey. Its relative error comes from the fourth moment of the residual sums of the clusters, and
 * is at least √(2 / df), the relative error for normal residuals. If clusters are crossed, it is that of
 * the way with the larger one.
 *
 * Returns null for fewer than five clusters, or if the difference is the same on every example.
 *
 * @param a the score of the first model on each example
 * @param b the score of the second model
 * @param clusters null: every example is a cluster
 * @throws RangeError if the lengths differ
 */
export function pairedSpread(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  clusters: Clusters | null,
): PairedSpread | null {
  if (a.length !== b.length) throw new RangeError('a spread needs two scores of each example');
  const examples = a.length;
  if ((clusters ? fewestClusters(clusters) : examples) < FEWEST_CLUSTERS) return null;
  const differences = Float64Array.from({ length: examples }, (_, index) => a[index]! - b[index]!);
  const { standardError, freedom } = clusteredError(differences, clusters);
  const variance = examples * standardError ** 2;
  if (!(variance > 0) || !Number.isFinite(variance)) return null;
  const difference = mean(differences);
  const independent = examples * clusteredError(differences, null).standardError ** 2;
  const ways = clusters ? [clusters, ...(clusters.crossed ? [clusters.crossed.second] : [])] : [];
  const residuals = clusters
    ? ways.map((way) => clusterSums(differences, way, difference))
    : [differences.map((each) => each - difference)];
  return {
    examples,
    difference,
    variance,
    designEffect: variance / independent,
    relativeError: Math.sqrt(Math.max(2 / freedom, ...residuals.map(relativeVariance))),
    freedom,
  };
}

/** Returns the relative variance of the mean square of `residuals`. */
function relativeVariance(residuals: Float64Array): number {
  let squares = 0;
  let fourth = 0;
  for (const each of residuals) {
    squares += each ** 2;
    fourth += each ** 4;
  }
  return fourth / squares ** 2 - 1 / residuals.length;
}

/**
 * Returns the spread over several datasets, each weighted by its number of examples. The degrees of
 * freedom are those of Welch and Satterthwaite.
 *
 * @throws RangeError without spreads
 */
export function pooledSpread(spreads: readonly PairedSpread[]): PairedSpread {
  const [first, ...others] = spreads;
  if (!first) throw new RangeError('there is no spread to pool');
  if (others.length === 0) return first;
  const total = (of: (spread: PairedSpread) => number): number => spreads.reduce((sum, each) => sum + of(each), 0);
  const examples = total((each) => each.examples);
  const weighted = (of: (spread: PairedSpread) => number): number => total((each) => each.examples * of(each));
  const sum = weighted(({ variance }) => variance);
  const independent = weighted(({ variance, designEffect }) => variance / (designEffect ?? NaN));
  const error = Math.sqrt(total((each) => (each.examples * each.variance * (each.relativeError ?? NaN)) ** 2));
  return {
    examples,
    difference: weighted(({ difference }) => difference) / examples,
    variance: sum / examples,
    designEffect: Number.isNaN(independent) ? null : sum / independent,
    relativeError: Number.isNaN(error) ? null : error / sum,
    freedom: sum ** 2 / total((each) => (each.examples * each.variance) ** 2 / each.freedom),
  };
}
