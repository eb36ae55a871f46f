import { seededRng } from '@assay/kernel';
import { fewestClusters } from '../crossed-clusters.js';
import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { clusteredError, FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { clusterSums, mean } from '../intervals/cluster-sums.js';
import { logGamma, studentT95, twoSidedT } from '../intervals/student-t.js';
import type { Range } from '../intervals/wilson.js';
import { countExtremeFlips } from './sign-flips.js';
import { tangoInterval } from './tango.js';

/** The number of random sign flips, and of swaps. */
export const FLIPS = 10_000;
/** The detectable difference in standard errors (80% power at the 5% level): 1.96 + 0.84. */
export const DETECTABLE = 2.8;
/** If fewer draws than this are extreme, the p-value is taken from the t distribution. */
export const FEWEST = 10;

export interface PairedScores {
  /** Per example, the score of each model; at least one example. */
  readonly a: Float64Array;
  readonly b: Float64Array;
  /** True if every score is 0 or 1 (wrong or right). */
  readonly binary: boolean;
  /** The range of graded scores. Default: unbounded. */
  readonly range?: Range;
  readonly clusters: Clusters | null;
  readonly seed: string;
}

/** The comparison of two models' scores on the same examples. Differences are a − b. */
export interface Comparison {
  readonly n: number;
  readonly a: number;
  readonly b: number;
  readonly difference: Estimate;
  /** The two-sided p-value for no difference; null for fewer than five clusters. */
  readonly p: number | null;
  readonly test: 'mcnemar-mid-p' | 'sign-flips' | 'swaps' | 'clustered-t' | 'unpaired';
  /** The number of draws of the test; null for a test without draws. */
  readonly draws: number | null;
  /** The number of examples that only one model has right; null for graded scores. */
  readonly discordant: { readonly onlyA: number; readonly onlyB: number } | null;
  /** The smallest difference that would be found with 80% power: 2.80 · SE. */
  readonly detectable: number | null;
}

/**
 * Compares two models on the same examples. Right-or-wrong scores without clusters use the exact
 * McNemar test with mid-p and Tango's (1998) score interval. Otherwise the interval is the
 * Bell–McCaffrey t interval of the mean paired difference, and the signs of whole clusters are
 * flipped R = 10,000 times: p = (1 + #{|T*| ≥ |T|}) / (R + 1). If that is below 10 / R, p is that of
 * the clustered t test, but at least the smallest p-value that all possible flips could give.
 * Crossed clusters cannot be flipped one by one, so p is that of the clustered t test. There is
 * neither for fewer than five clusters.
 *
 * @throws RangeError without examples or if the lengths differ
 */
export function comparePaired(scores: PairedScores): Comparison {
  const { a, b, binary, range = UNBOUNDED, clusters } = scores;
  if (a.length !== b.length || a.length === 0) throw new RangeError('a comparison needs two scores of each example');

  const differences = new Float64Array(a.length);
  for (let index = 0; index < a.length; index++) differences[index] = a[index]! - b[index]!;
  const discordant = binary ? discordantPairs(differences) : null;
  const exact = clusters ? null : discordant;
  const { difference, freedom } = pairedDifference(differences, clusters, binary ? [0, 1] : range, exact);
  return {
    n: a.length,
    a: mean(a),
    b: mean(b),
    difference,
    ...testOf(differences, difference.standardError, freedom, discordant, scores),
    discordant,
    detectable: difference.standardError === null ? null : DETECTABLE * difference.standardError,
  };
}

function discordantPairs(differences: Float64Array): { readonly onlyA: number; readonly onlyB: number } {
  let onlyA = 0;
  let onlyB = 0;
  for (const difference of differences) {
    if (difference > 0) onlyA++;
    else if (difference < 0) onlyB++;
  }
  return { onlyA, onlyB };
}

const UNBOUNDED: Range = [-Infinity, Infinity];
/** Standard errors below this part of the range come from rounding alone. */
const ROUNDING = 1e-12;

/**
 * Returns the mean difference with its interval and the degrees of freedom of its error. Scores of a
 * bounded range that differ nowhere, or everywhere in the same way, have no spread to estimate from.
 * Their error is that of one additional discordant example in each direction, with as many examples
 * as there are clusters (Bonett & Price 2012). No interval for fewer than five clusters.
 *
 * @param range the range of the scores
 * @param exact counts of independent right-or-wrong scores, for Tango's interval
 */
export function pairedDifference(
  differences: Float64Array,
  clusters: Clusters | null,
  range: Range,
  exact: Comparison['discordant'] = null,
): { readonly difference: Estimate; readonly freedom: number } {
  const value = mean(differences);
  const units = clusters ? fewestClusters(clusters) : differences.length;
  if (units < (exact ? 2 : FEWEST_CLUSTERS)) return { difference: bareEstimate(value), freedom: NaN };

  const width = range[1] - range[0];
  const spread = clusteredError(differences, clusters);
  const isEdge = Number.isFinite(width) && spread.standardError <= ROUNDING * width;
  const standardError = isEdge ? width * edgeError(value / width, units) : spread.standardError;
  const freedom = isEdge ? units - 1 : spread.freedom;
  if (exact) {
    const interval = tangoInterval(exact.onlyA, exact.onlyB, differences.length);
    return { difference: { value, ...interval, standardError }, freedom };
  }
  const half = studentT95(freedom) * standardError;
  const [low, high] = [Math.max(-width, value - half), Math.min(width, value + half)];
  return { difference: { value, low, high, standardError }, freedom };
}

function edgeError(value: number, units: number): number {
  const above = (units * Math.max(0, value) + 1) / (units + 2);
  const below = (units * Math.max(0, -value) + 1) / (units + 2);
  return Math.sqrt((above + below - (above - below) ** 2) / (units + 2));
}

function testOf(
  differences: Float64Array,
  standardError: number | null,
  freedom: number,
  discordant: Comparison['discordant'],
  { clusters, seed }: PairedScores,
): Pick<Comparison, 'p' | 'test' | 'draws'> {
  if (discordant && !clusters) {
    return { p: mcnemarMidP(discordant.onlyA, discordant.onlyB), test: 'mcnemar-mid-p', draws: null };
  }
  if (standardError === null) return { p: null, test: 'sign-flips', draws: null };

  if (clusters?.crossed) {
    const p = crossedP(mean(differences), standardError, freedom, fewestClusters(clusters));
    return { p, test: 'clustered-t', draws: null };
  }
  const sums = clusters ? clusterSums(differences, clusters) : differences;
  const p = (1 + countExtremeFlips(sums, FLIPS, seededRng(seed))) / (FLIPS + 1);
  if (p >= FEWEST / FLIPS) return { p, test: 'sign-flips', draws: FLIPS };

  const moving = sums.filter((sum) => sum !== 0).length;
  return {
    p: Math.max(twoSidedT(mean(differences) / standardError, freedom), 2 ** (1 - moving)),
    test: 'clustered-t',
    draws: FLIPS,
  };
}

/**
 * Returns the p-value of the t test. If all differences are equal there is no error to compare with:
 * p is then the smallest one that flips of the fewer clusters could give.
 */
function crossedP(value: number, standardError: number, freedom: number, clusters: number): number {
  if (standardError > 0) return twoSidedT(value / standardError, freedom);
  return value === 0 ? 1 : 2 ** (1 - clusters);
}

/**
 * Returns the two-sided p-value of McNemar's exact test with mid-p (Fagerland, Lydersen & Laake
 * 2013). `onlyA` and `onlyB` are the examples that only one model has right. Under Binomial(n, 1/2)
 * with n = `onlyA + onlyB`, the observed count has half weight. Returns 1 if both counts are equal.
 */
export function mcnemarMidP(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  if (onlyA === onlyB) return 1;

  const logProbability = logGamma(n + 1) - logGamma(fewer + 1) - logGamma(n - fewer + 1) - n * Math.LN2;
  // sums the terms from `fewer` down, each from the one before, until they are negligible
  let term = 1;
  let below = 0;
  for (let count = fewer; count > 0 && term > 1e-18 * below; count--) {
    term *= count / (n - count + 1);
    below += term;
  }
  return Math.min(1, 2 * Math.exp(logProbability) * (0.5 + below));
}
