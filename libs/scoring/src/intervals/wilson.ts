import { fewestClusters } from '../crossed-clusters.js';
import { bareEstimate, Z95, type Clusters, type Estimate } from '../estimate.js';
import {
  bellMcCaffrey,
  clusteredError,
  crossedError,
  FEWEST_CLUSTERS,
  type ClusteredError,
  type ClusterGroup,
} from './bell-mccaffrey.js';
import { mean } from './cluster-sums.js';
import { studentT95 } from './student-t.js';

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the proportion of 0/1 `scores` with its Wilson interval (Wilson 1927). With clusters it
 * uses an effective size, see `proportionOfClusters`.
 */
export function proportionEstimate(scores: ArrayLike<number>, clusters: Clusters | null): Estimate {
  const value = mean(scores);
  if (clusters) {
    const { standardError, freedom } = clusteredError(scores, clusters);
    return clusteredWilson({
      value,
      examples: scores.length,
      clusters: fewestClusters(clusters),
      standardError,
      freedom,
    });
  }
  const bounds = wilson(value, scores.length);
  const isEdge = value === 0 || value === 1;
  const standardError = isEdge ? impliedError(bounds) : Math.sqrt((value * (1 - value)) / (scores.length - 1));
  return { value, ...bounds, standardError };
}

/**
 * Returns the proportion of clusters of examples, whose `sum` counts the successes, with its Wilson
 * interval. The effective size is n* = n / max(1, deff), with deff = n·SE²·(t/z)² / (p(1 − p)) from
 * the standard error and degrees of freedom of Bell and McCaffrey (the correction by t is that of
 * Korn & Graubard 1998), and n* = the number of clusters if p is 0 or 1. No interval for fewer than
 * five clusters. Null without examples.
 *
 * @param crossed the clusters of a second way and those of the examples that share both, see
 *   `crossedError`; no interval for fewer than five clusters in either way
 */
export function proportionOfClusters(groups: readonly ClusterGroup[], crossed?: CrossedGroups): Estimate | null {
  const examples = groups.reduce((sum, group) => sum + group.times * group.examples, 0);
  if (examples === 0) return null;
  const value = groups.reduce((sum, group) => sum + group.times * group.sum, 0) / examples;
  const [clusters, error] = crossed
    ? crossedSpread(groups, crossed)
    : ([countOf(groups), bellMcCaffrey(groups)] as const);
  return clusteredWilson({ value, examples, clusters, ...error });
}

/** Clusters of the same examples in a second way, and the groups of examples that share both. */
export interface CrossedGroups {
  readonly second: readonly ClusterGroup[];
  readonly both: readonly ClusterGroup[];
}

/** Returns the smaller number of clusters and the error, as for `crossedClusters`. */
function crossedSpread(
  one: readonly ClusterGroup[],
  { second, both }: CrossedGroups,
): readonly [clusters: number, error: ClusteredError] {
  const [ofOne, ofSecond, ofBoth] = [countOf(one), countOf(second), countOf(both)];
  if (ofBoth === ofSecond) return [ofOne, bellMcCaffrey(one)];
  if (ofBoth === ofOne) return [ofSecond, bellMcCaffrey(second)];
  return [Math.min(ofOne, ofSecond), crossedError(one, second, both)];
}

const countOf = (groups: readonly ClusterGroup[]): number => groups.reduce((sum, { times }) => sum + times, 0);

interface ClusteredProportion {
  readonly value: number;
  readonly examples: number;
  readonly clusters: number;
  readonly standardError: number;
  readonly freedom: number;
}

function clusteredWilson({ value, examples, clusters, ...error }: ClusteredProportion): Estimate {
  if (clusters < FEWEST_CLUSTERS) return bareEstimate(value, 'too few clusters');
  if (value === 0 || value === 1) {
    const bounds = wilson(value, clusters);
    return { value, ...bounds, standardError: impliedError(bounds) };
  }
  const variance = value * (1 - value);
  const widened = (error.standardError * studentT95(error.freedom)) / Z95;
  // clusters that are alike by chance give no more information than independent examples: deff ≥ 1
  const designEffect = Math.max(1, (examples * widened * widened) / variance);
  const standardError = Math.max(Math.sqrt(variance / examples), error.standardError);
  return { value, ...wilson(value, examples / designEffect), standardError };
}

/**
 * Returns the standard error that a normal interval of this width would have. It serves scores that
 * are all equal and therefore have no spread to estimate from.
 */
export const impliedError = ({ low, high }: Bounds): number => (high - low) / (2 * Z95);

/**
 * Returns Wilson's 95% interval of the proportion `p` of `n` observations. `n` need not be an
 * integer.
 */
export function wilson(p: number, n: number): Bounds {
  const z2 = Z95 * Z95;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  // rounding must not move a bound past the value or the range
  return { low: Math.max(0, Math.min(p, centre - half)), high: Math.min(1, Math.max(p, centre + half)) };
}

/**
 * Returns Wilson's interval of a value in a bounded `range`, with the size of a sample of 0/1 scores
 * whose interval has the half width `half`. If the value is closer than that to an end of the
 * range, the size is never more than `most`.
 */
export function wilsonWithin(value: number, half: number, most: number, range: Range): Bounds {
  const width = range[1] - range[0];
  const p = Math.min(1, Math.max(0, (value - range[0]) / width));
  const size = (p * (1 - p)) / (half / width / Z95) ** 2;
  return constantBounds(value, edgeDistance(value, range) <= half ? Math.min(most, size) : size, range);
}

/**
 * Returns Wilson's interval in a bounded range, as if `value` were the mean of `size` scores at its
 * ends. Contains the value in spite of rounding.
 */
export function constantBounds(value: number, size: number, [least, most]: Range): Bounds {
  const width = most - least;
  const { low, high } = wilson(Math.min(1, Math.max(0, (value - least) / width)), size);
  return { low: Math.min(value, least + low * width), high: Math.max(value, least + high * width) };
}

export type Range = readonly [low: number, high: number];

/** Returns how far a value is from the nearer end of its range. */
export const edgeDistance = (value: number, [least, most]: Range): number => Math.min(value - least, most - value);
