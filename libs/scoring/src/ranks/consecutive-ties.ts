import { twoSidedNormal } from '../intervals/normal.js';
import type { PairedDraws } from './paired-draws.js';

/** Familywise error rate over the compared pairs. */
const ERROR = 0.05;

/**
 * Returns, per place, the number of consecutive rows below that are not separated from it. Only
 * necessary pairs are compared: each row with the rows below, up to the first that is separated.
 * With `groups`, only the head of each group is compared with the rows below it. Holm's threshold
 * falls as more pairs are compared, so further pairs may become necessary; the search ends when
 * there are none.
 */
export function consecutiveTies(draws: PairedDraws, places: number, asking: 'rows' | 'groups' = 'rows'): Int32Array {
  const looked: Float64Array[] = Array.from({ length: places }, () => new Float64Array(0));
  const lengths = new Int32Array(places);
  const pValueOf = (place: number, below: number): number => {
    if (below < lengths[place]!) return looked[place]![below]!;
    if (below >= looked[place]!.length) looked[place] = grown(looked[place]!);
    lengths[place] = below + 1;
    return (looked[place]![below] = pairedP(draws, place, place + 1 + below));
  };

  const ties = new Int32Array(places);
  for (let bound = ERROR, seen = -1; ; bound = holmBound(looked, lengths)) {
    ties.fill(0);
    for (let place = 0; place < places; place += asking === 'groups' ? ties[place]! + 1 : 1) {
      let tie = draws.isKnown(place) ? 0 : -1;
      while (tie >= 0 && place + 1 + tie < draws.scores.length && pValueOf(place, tie) > bound) tie++;
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

/**
 * Returns the two-sided normal p-value of the difference between the Dynascores of two places, with
 * the standard deviation of its draws.
 */
function pairedP(draws: PairedDraws, upper: number, lower: number): number {
  const difference = draws.scores[upper]! - draws.scores[lower]!;
  if (difference === 0) return 1;

  const error = draws.differenceError(upper, lower);
  return error === 0 ? 0 : twoSidedNormal(difference / error);
}

/**
 * Returns the Holm (1979) threshold for the first hypothesis that is not rejected. The rejected
 * p-values do not exceed it; all others do.
 */
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
