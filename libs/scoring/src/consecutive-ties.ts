import { twoSidedNormal } from './intervals/normal.js';
import type { JointRanksInput } from './rank-interval.js';

/** Familywise error over the pairs looked at. */
const ERROR = 0.05;

/**
 * By place, how many consecutive rows below are not separated from it. The pairs looked at are those that this asks for: each row with the
 * ones below, up to the first that is separated; with `groups` only each head of a group, which the rows of its group do not ask again. As Holm's bound falls with their number, more may be looked at than at first; it ends when
 * nothing new is.
 */
export function consecutiveTies(
  board: JointRanksInput,
  places: number,
  asking: 'rows' | 'groups' = 'rows',
): Int32Array {
  const { scores, resamples } = board;
  const pairedP = pairedTest(board);
  const looked: Float64Array[] = Array.from({ length: places }, () => new Float64Array(0));
  const lengths = new Int32Array(places);
  const pValueOf = (place: number, below: number): number => {
    if (below < lengths[place]!) return looked[place]![below]!;
    if (below >= looked[place]!.length) looked[place] = grown(looked[place]!);
    lengths[place] = below + 1;
    return (looked[place]![below] = pairedP(place, place + 1 + below));
  };

  const ties = new Int32Array(places);
  for (let bound = ERROR, seen = -1; ; bound = holmBound(looked, lengths)) {
    ties.fill(0);
    for (let place = 0; place < places; place += asking === 'groups' ? ties[place]! + 1 : 1) {
      let tie = resamples[place] ? 0 : -1;
      while (tie >= 0 && place + 1 + tie < scores.length && pValueOf(place, tie) > bound) tie++;
      ties[place] = Math.max(0, tie);
    }
    const pairs = lengths.reduce((sum, length) => sum + length, 0);
    if (pairs === seen) return ties;
    seen = pairs;
  }
}

function grown(values: Float64Array): Float64Array {
  const larger = new Float64Array(Math.max(8, values.length * 2));
  larger.set(values);
  return larger;
}

/** The draws of a place about their mean. */
interface Deviations {
  readonly values: Float64Array;
  readonly variance: number;
}

/** Variances of differences below this share of the variances come from rounding: the two move as one. */
const ROUNDING = 1e-13;

/** Two-sided p of the difference of two places' Dynascores, normal, with the standard deviation of its draws. */
function pairedTest({ scores, resamples }: JointRanksInput): (upper: number, lower: number) => number {
  const known: (Deviations | undefined)[] = [];
  const deviationsOf = (place: number): Deviations =>
    (known[place] ??= centred(resamples[place] ?? new Float64Array(0)));

  return (upper, lower) => {
    const difference = scores[upper]! - scores[lower]!;
    if (difference === 0) return 1;

    const [a, b] = [deviationsOf(upper), deviationsOf(lower)];
    const sum = a.variance + b.variance;
    const variance = sum - (2 * product(a.values, b.values)) / (a.values.length - 1);
    return variance <= ROUNDING * sum ? 0 : twoSidedNormal(difference / Math.sqrt(variance));
  };
}

function centred(draws: ArrayLike<number>): Deviations {
  let sum = 0;
  for (let draw = 0; draw < draws.length; draw++) sum += draws[draw]!;
  const mean = sum / draws.length;
  const values = new Float64Array(draws.length);
  for (let draw = 0; draw < draws.length; draw++) values[draw] = draws[draw]! - mean;
  return { values, variance: values.length === 0 ? 0 : product(values, values) / (values.length - 1) };
}

/** Σ aᵢ bᵢ; 0 where one is empty. Four sums at a time, as one would wait for itself. */
function product(a: Float64Array, b: Float64Array): number {
  const length = Math.min(a.length, b.length);
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < length; at += 4) {
    s0 += a[at]! * b[at]!;
    s1 += a[at + 1]! * b[at + 1]!;
    s2 += a[at + 2]! * b[at + 2]!;
    s3 += a[at + 3]! * b[at + 3]!;
  }
  for (; at < length; at++) s0 += a[at]! * b[at]!;
  return s0 + s1 + s2 + s3;
}

/** What Holm (1979) holds the first p-value against that he does not reject: those he rejects are not above it, all others are. */
function holmBound(looked: readonly Float64Array[], lengths: Int32Array): number {
  const all = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [place, length] of lengths.entries()) {
    all.set(looked[place]!.subarray(0, length), at);
    at += length;
  }
  all.sort();
  let rejected = 0;
  while (rejected < all.length && all[rejected]! <= ERROR / (all.length - rejected)) rejected++;
  return ERROR / Math.max(1, all.length - rejected);
}
