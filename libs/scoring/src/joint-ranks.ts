import { consecutiveTies } from './consecutive-ties.js';
import type { JointRanksInput, RankInterval } from './rank-interval.js';

export interface JointRanksOptions {
  /** How many places get an interval; default 200. The others take part in the draws. */
  readonly places?: number;
  /**
   * `rows` (default): every row has its tie. `groups`: only the heads of groups have, each followed by its group and then the next head; the others
   * have 0, and are no pairs looked at.
   */
  readonly ties?: 'rows' | 'groups';
}

/**
 * Intervals of the first places' ranks (scoring.md 7). In each draw all places are ranked by their resampled Dynascores (one that is not
 * known stands still): the central 95% of a place's ranks, and how often it was first. `tie` is the number of consecutive rows below that
 * are not separated from it: the paired 95% interval of their difference, Holm over the pairs looked at, holds 0.
 */
export function jointRanks(
  { scores, resamples }: JointRanksInput,
  { places = 200, ties: looked = 'rows' }: JointRanksOptions = {},
): readonly RankInterval[] {
  const shown = Math.min(scores.length, places);
  const draws = resamples.find((each) => each !== null)?.length ?? 0;
  const histogram = drawnRanks({ scores, resamples }, shown, draws);
  const ties = consecutiveTies({ scores, resamples }, shown, looked);

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
  const ranksOf = drawRanker(count);
  for (let start = 0; start < draws; start += BLOCK) {
    const taken = Math.min(BLOCK, draws - start);
    for (let place = 0; place < count; place++) {
      const column = resamples[place];
      for (let draw = 0; draw < taken; draw++) {
        block[draw * count + place] = column ? column[start + draw]! : scores[place]!;
      }
    }
    for (let draw = 0; draw < taken; draw++) {
      const ranks = ranksOf(block.subarray(draw * count, (draw + 1) * count));
      for (let place = 0; place < shown; place++) histogram[place * count + ranks[place]!]!++;
    }
  }
  return histogram;
}

/**
 * Ranks `count` values from 0, the largest first; equal values share the better rank. They are put in buckets of equal width by their size, and
 * what is out of order between neighbours is mended: a few microseconds for 400, where sorting takes 15. The array is reused.
 */
function drawRanker(count: number): (values: Float64Array) => Int32Array {
  const width = 2 * count;
  const next = new Int32Array(width + 1);
  const bucket = new Int32Array(count);
  const order = new Int32Array(count);
  const ranks = new Int32Array(count);
  return (values) => {
    let [lowest, highest] = [Infinity, -Infinity];
    for (let place = 0; place < count; place++) {
      const value = values[place]!;
      if (value < lowest) lowest = value;
      if (value > highest) highest = value;
    }
    const scale = highest > lowest ? (width - 1) / (highest - lowest) : 0;
    next.fill(0);
    for (let place = 0; place < count; place++) {
      const at = ((highest - values[place]!) * scale) | 0;
      bucket[place] = at;
      next[at + 1]!++;
    }
    for (let at = 0; at < width; at++) next[at + 1]! += next[at]!;
    for (let place = 0; place < count; place++) order[next[bucket[place]!]!++] = place;
    mend(order, values);
    for (let at = 0; at < count; at++) {
      const isEqual = at > 0 && values[order[at]!] === values[order[at - 1]!];
      ranks[order[at]!] = isEqual ? ranks[order[at - 1]!]! : at;
    }
    return ranks;
  };
}

/** Insertion sort of places by falling values, for what is nearly in order. */
function mend(order: Int32Array, values: Float64Array): void {
  for (let at = 1; at < order.length; at++) {
    const place = order[at]!;
    const value = values[place]!;
    let hole = at;
    for (; hole > 0 && values[order[hole - 1]!]! < value; hole--) order[hole] = order[hole - 1]!;
    order[hole] = place;
  }
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
