import { seededRng } from '@assay/kernel';
import type { Clusters } from '../estimate.js';
import { clusterStandardError, mean } from '../intervals/cluster-standard-error.js';
import { twoSidedNormal } from '../intervals/normal.js';
import { studentT95 } from '../intervals/student-t.js';
import { mcnemarMidP } from './mcnemar.js';
import { countExtremeFlips } from './sign-flips.js';

/** Draws of signs, and of swaps. */
export const FLIPS = 10_000;
/** Differences of this many standard errors are found with 80% power at 5%: 1.96 + 0.84. */
export const DETECTABLE = 2.8;
/** Below this many of the draws a p-value is taken from the normal's tail. */
const FEWEST = 10;

export interface PairedScores {
  /** Per example, the score of each model on it; one example or more. */
  readonly a: Float64Array;
  readonly b: Float64Array;
  /** All scores are 0 or 1: right or wrong. */
  readonly binary: boolean;
  readonly clusters: Clusters | null;
  readonly seed: string;
}

/** What two models' scores on the same examples say; differences are a − b. */
export interface Comparison {
  readonly n: number;
  readonly a: number;
  readonly b: number;
  readonly difference: {
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
    readonly standardError: number | null;
  };
  /** Two-sided p of no difference; null for fewer than two clusters. */
  readonly p: number | null;
  readonly test: 'mcnemar-mid-p' | 'sign-flips' | 'swaps' | 'normal-tail';
  /** Draws of the test and, of a whole set's metric, of the bootstrap; null for what needs none. */
  readonly draws: number | null;
  /** Examples that one model alone has right; null for graded scores. */
  readonly discordant: { readonly onlyA: number; readonly onlyB: number } | null;
  /** The smallest difference that would be found with 80% power: 2.80 · SE. */
  readonly detectable: number | null;
}

/**
 * Compares two models on the same examples: the mean paired difference with its t interval over clusters, and p. Right-or-wrong
 * scores without clusters: exact McNemar, mid-p. Else signs are flipped, of whole clusters, 10,000 times: p = (1 + #{|T*| ≥ |T|}) / (R + 1);
 * where that is below 10 / R, the normal tail of the clustered z, but never less than all the flips there are could give. Throws a RangeError
 * where there is no example or the lengths differ.
 */
export function comparePaired(scores: PairedScores): Comparison {
  const { a, b, binary, clusters } = scores;
  if (a.length !== b.length || a.length === 0) throw new RangeError('a comparison takes two scores of each example');

  const differences = new Float64Array(a.length);
  for (let index = 0; index < a.length; index++) differences[index] = a[index]! - b[index]!;
  const discordant = binary ? discordantPairs(differences) : null;
  const difference = pairedDifference(differences, clusters, binary);
  return {
    n: a.length,
    a: mean(a),
    b: mean(b),
    difference,
    ...testOf(differences, difference.standardError, discordant, scores),
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

/**
 * The mean difference with its t interval. Right-or-wrong scores that differ nowhere, or everywhere alike, have no spread to estimate from:
 * they get the error of one discordant example more each way, of as many as there are clusters (Bonett & Price 2012).
 */
function pairedDifference(
  differences: Float64Array,
  clusters: Clusters | null,
  isBinary: boolean,
): Comparison['difference'] {
  const value = mean(differences);
  const units = clusters?.count ?? differences.length;
  if (units < 2) return { value, low: null, high: null, standardError: null };

  const spread = clusterStandardError(differences, clusters, value);
  const standardError = spread === 0 && isBinary ? edgeError(value, units) : spread;
  const half = studentT95(units - 1) * standardError;
  // scores of right and wrong lie in [0, 1]
  const [least, most] = isBinary ? [-1, 1] : [-Infinity, Infinity];
  return { value, low: Math.max(least, value - half), high: Math.min(most, value + half), standardError };
}

function edgeError(value: number, units: number): number {
  const above = (units * Math.max(0, value) + 1) / (units + 2);
  const below = (units * Math.max(0, -value) + 1) / (units + 2);
  return Math.sqrt((above + below - (above - below) ** 2) / (units + 2));
}

function testOf(
  differences: Float64Array,
  standardError: number | null,
  discordant: Comparison['discordant'],
  { clusters, seed }: PairedScores,
): Pick<Comparison, 'p' | 'test' | 'draws'> {
  if (discordant && !clusters) {
    return { p: mcnemarMidP(discordant.onlyA, discordant.onlyB), test: 'mcnemar-mid-p', draws: null };
  }
  if (standardError === null) return { p: null, test: 'sign-flips', draws: null };

  const sums = clusters ? clusterSums(differences, clusters) : differences;
  const p = (1 + countExtremeFlips(sums, FLIPS, seededRng(seed))) / (FLIPS + 1);
  if (p >= FEWEST / FLIPS) return { p, test: 'sign-flips', draws: FLIPS };

  const moving = sums.filter((sum) => sum !== 0).length;
  return {
    p: Math.max(tailOf(mean(differences), standardError), 2 ** (1 - moving)),
    test: 'normal-tail',
    draws: FLIPS,
  };
}

const tailOf = (difference: number, standardError: number): number =>
  standardError === 0 ? 0 : twoSidedNormal(difference / standardError);

function clusterSums(differences: Float64Array, clusters: Clusters): Float64Array {
  const sums = new Float64Array(clusters.count);
  for (let index = 0; index < differences.length; index++) sums[clusters.of[index]!]! += differences[index]!;
  return sums;
}
