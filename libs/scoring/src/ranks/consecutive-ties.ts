import { numbers, type GrowableColumn } from '../growable-column.js';
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
  const looked = Array.from({ length: places }, numbers);
  // the rows below a place are looked at in order
  const pValueOf = (place: number, below: number): number => {
    if (below === looked[place]!.length) looked[place]!.push(pairedP(draws, place, place + 1 + below));
    return looked[place]!.at(below)!;
  };

  const ties = new Int32Array(places);
  for (let bound = ERROR, seen = -1; ; bound = holmBound(looked)) {
    ties.fill(0);
    for (let place = 0; place < places; place += asking === 'groups' ? ties[place]! + 1 : 1) {
      let tie = draws.isKnown(place) ? 0 : -1;
      while (tie >= 0 && place + 1 + tie < draws.scores.length && pValueOf(place, tie) > bound) tie++;
      ties[place] = Math.max(0, tie);
    }
    const pairs = looked.reduce((sum, { length }) => sum + length, 0);
    if (pairs === seen) return ties;
    seen = pairs;
  }
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
function holmBound(looked: readonly GrowableColumn<Float64Array>[]): number {
  const all = Float64Array.from(looked.flatMap((pValues) => Array.from(pValues.view()))).sort();
  let rejected = 0;
  while (rejected < all.length && all[rejected]! <= ERROR / (all.length - rejected)) rejected++;
  return ERROR / Math.max(1, all.length - rejected);
}
