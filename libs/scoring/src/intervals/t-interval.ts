import { fewestClusters } from '../crossed-clusters.js';
import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { clusteredError, FEWEST_CLUSTERS } from './bell-mccaffrey.js';
import { mean } from './cluster-sums.js';
import { studentT95 } from './student-t.js';
import { constantBounds, edgeDistance, impliedError, wilsonWithin, type Bounds, type Range } from './wilson.js';

/** Standard errors below this part of the range come from rounding alone. */
const ROUNDING = 1e-12;
/** How many half widths from an end of the range the interval is the t interval alone. */
const NO_WILSON = 2.75;

/**
 * Returns the mean of graded `scores` with its t interval over the clusters (Bell & McCaffrey 2002),
 * clipped to `range`. Without `clusters` each example is a cluster.
 *
 * A t interval covers too rarely near an end of the range, because the scores are skewed there. Up to
 * 1.75 half widths from the end, the interval is Wilson's with the same half width at the value;
 * beyond 2.75 it is the t interval, and between them a weighted mean of both. Where the half width
 * itself reaches the end, the size that Wilson's interval uses is also limited to the number of
 * examples, so that the interval has a width even if all scores are equal.
 *
 * No interval for fewer than five named clusters, for one example, and for equal scores without a
 * bounded range.
 */
export function meanEstimate(scores: ArrayLike<number>, clusters: Clusters | null, range: Range): Estimate {
  const value = mean(scores);
  if (clusters && fewestClusters(clusters) < FEWEST_CLUSTERS) return bareEstimate(value, 'too few clusters');
  if (scores.length < 2) return bareEstimate(value, 'too few examples');

  const { standardError, freedom } = clusteredError(scores, clusters);
  const width = range[1] - range[0];
  const isBounded = Number.isFinite(width);
  if (standardError <= ROUNDING * (isBounded ? width : Math.max(1, Math.abs(value)))) {
    if (!isBounded) return bareEstimate(value, 'no variation');
    const bounds = constantBounds(value, clusters ? fewestClusters(clusters) : scores.length, range);
    return { value, ...bounds, standardError: impliedError(bounds) };
  }
  const half = studentT95(freedom) * standardError;
  const t: Bounds = { low: Math.max(range[0], value - half), high: Math.min(range[1], value + half) };
  const share = isBounded ? wilsonShare(edgeDistance(value, range) / half) : 0;
  if (share === 0) return { value, ...t, standardError };
  const wilson = wilsonWithin(value, half, scores.length, range);
  const between = (one: number, other: number): number => share * one + (1 - share) * other;
  return { value, low: between(wilson.low, t.low), high: between(wilson.high, t.high), standardError };
}

/** Returns the weight of Wilson's interval for a value this many half widths from an end of the range. */
const wilsonShare = (halves: number): number => Math.min(1, Math.max(0, NO_WILSON - halves));
