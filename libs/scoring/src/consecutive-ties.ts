import { twoSidedNormal } from './intervals/normal.js';
import type { JointRanksInput } from './rank-interval.js';

/** Familywise error over the pairs looked at. */
const ERROR = 0.05;

/**
 * By place, how many consecutive rows below are not separated from it. The pairs looked at are those that this asks for: each row with the
 * ones below, up to the first that is separated. As Holm's bound falls with their number, more may be looked at than at first; it ends when
 * nothing new is.
 */
export function consecutiveTies({ scores, resamples }: JointRanksInput, places: number): Int32Array {
  const looked: Float64Array[] = Array.from({ length: places }, () => new Float64Array(0));
  const lengths = new Int32Array(places);
  const pValueOf = (place: number, below: number): number => {
    if (below < lengths[place]!) return looked[place]![below]!;
    if (below >= looked[place]!.length) looked[place] = grown(looked[place]!);
    lengths[place] = below + 1;
    return (looked[place]![below] = pairedP(scores, resamples, place, place + 1 + below));
  };

  const ties = new Int32Array(places);
  for (let bound = ERROR, seen = -1; ; bound = holmBound(looked, lengths)) {
    for (let place = 0; place < places; place++) {
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

/** Two-sided p of the difference of two places' Dynascores, normal, with the standard deviation of its draws. */
function pairedP(
  scores: ArrayLike<number>,
  resamples: JointRanksInput['resamples'],
  upper: number,
  lower: number,
): number {
  const difference = scores[upper]! - scores[lower]!;
  if (difference === 0) return 1;

  const error = differenceError(resamples[upper]!, resamples[lower] ?? null);
  return error === 0 ? 0 : twoSidedNormal(difference / error);
}

function differenceError(a: ArrayLike<number>, b: ArrayLike<number> | null): number {
  const draws = a.length;
  let sum = 0;
  let squares = 0;
  // about the first draw, so that squares do not cancel
  const origin = a[0]! - (b ? b[0]! : 0);
  for (let draw = 0; draw < draws; draw++) {
    const difference = a[draw]! - (b ? b[draw]! : 0) - origin;
    sum += difference;
    squares += difference * difference;
  }
  return Math.sqrt(Math.max(0, (squares - (sum * sum) / draws) / (draws - 1)));
}

/** The largest p-value that Holm (1979) rejects; below every p-value where he rejects none. */
function holmBound(looked: readonly Float64Array[], lengths: Int32Array): number {
  const all = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [place, length] of lengths.entries()) {
    all.set(looked[place]!.subarray(0, length), at);
    at += length;
  }
  all.sort();
  let bound = -1;
  for (let rank = 0; rank < all.length && all[rank]! <= ERROR / (all.length - rank); rank++) bound = all[rank]!;
  return bound;
}
