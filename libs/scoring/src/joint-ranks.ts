import { consecutiveTies } from './consecutive-ties.js';
import type { JointRanksInput, RankInterval } from './rank-interval.js';

export interface JointRanksOptions {
  /** How many places get an interval; default 200. The others take part in the draws. */
  readonly places?: number;
}

/**
 * Intervals of the first places' ranks (scoring.md 7). In each draw all places are ranked by their resampled Dynascores (one that is not
 * known stands still): the central 95% of a place's ranks, and how often it was first. `tie` is the number of consecutive rows below that
 * are not separated from it: the paired 95% interval of their difference, Holm over the pairs looked at, holds 0.
 */
export function jointRanks(
  { scores, resamples }: JointRanksInput,
  { places = 200 }: JointRanksOptions = {},
): readonly RankInterval[] {
  const shown = Math.min(scores.length, places);
  const draws = resamples.find((each) => each !== null)?.length ?? 0;
  const histogram = drawnRanks({ scores, resamples }, shown, draws);
  const ties = consecutiveTies({ scores, resamples }, shown);

  return Array.from({ length: shown }, (_, place) => {
    if (!resamples[place]) return { rankLow: null, rankHigh: null, first: null, tie: ties[place]! };

    const counts = histogram.subarray(place * scores.length, (place + 1) * scores.length);
    const rank = rankOf(scores, place);
    return {
      rankLow: Math.min(rank, rankAt(counts, 0.025 * draws)),
      rankHigh: Math.max(rank, rankAt(counts, 0.975 * draws)),
      first: counts[0]! / draws,
      tie: ties[place]!,
    };
  });
}

/** Draws that are taken from all places' columns at a time, so that each is read in stretches. */
const BLOCK = 32;

/** Shown places × ranks: how often each came out at each rank; equal scores share the better one. */
function drawnRanks({ scores, resamples }: JointRanksInput, shown: number, draws: number): Int32Array {
  const count = scores.length;
  const histogram = new Int32Array(shown * count);
  const block = new Float64Array(BLOCK * count);
  const sorted = new Float64Array(count);
  for (let start = 0; start < draws; start += BLOCK) {
    const taken = Math.min(BLOCK, draws - start);
    for (let place = 0; place < count; place++) {
      const column = resamples[place];
      for (let draw = 0; draw < taken; draw++) {
        block[draw * count + place] = column ? column[start + draw]! : scores[place]!;
      }
    }
    for (let draw = 0; draw < taken; draw++) {
      const drawn = block.subarray(draw * count, (draw + 1) * count);
      sorted.set(drawn);
      sorted.sort();
      for (let place = 0; place < shown; place++) {
        histogram[place * count + count - upperBound(sorted, drawn[place]!)]!++;
      }
    }
  }
  return histogram;
}

/** How many of ascending values are not above `value`. */
function upperBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rankOf(scores: ArrayLike<number>, place: number): number {
  let first = place;
  while (first > 0 && scores[first - 1] === scores[place]) first--;
  return first + 1;
}

function rankAt(counts: Int32Array, until: number): number {
  let seen = 0;
  for (let rank = 0; rank < counts.length; rank++) {
    seen += counts[rank]!;
    if (seen > until) return rank + 1;
  }
  return counts.length;
}
