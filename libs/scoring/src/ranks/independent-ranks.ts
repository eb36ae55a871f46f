import { seededRng, type Rng } from '@assay/kernel';
import type { Board } from '../board/board.js';
import { descendingOrder } from '../board/descending-order.js';
import { Z95 } from '../estimate.js';
import { total } from '../label-counts.js';
import { drawNormal } from '../random-draws.js';
import type { RankInterval } from './rank-interval.js';
import type { Ranking } from '../board/ranking.js';

export interface IndependentRanksOptions {
  readonly seed: string;
  readonly draws?: number;
  /** The number of places with an interval. Default: 200. */
  readonly places?: number;
}

/**
 * Returns rank intervals of the first places, in the order of the ranking, for a board whose cells
 * have no resamples (otherwise use `jointRanks`). The Dynascore of each model is drawn from a
 * normal distribution around its value, independently of the other models. The standard errors of
 * its metrics are added as if they were fully correlated; costs and AMRS are constant. Because
 * models answer the same examples, the true intervals tend to be narrower. Two rows are separated
 * if |Δ| > 1.96 √(SE² + SE²). Draws cover twice as many places, so that lower models can move up.
 */
export function independentRanks(
  board: Board,
  ranking: Ranking,
  options: IndependentRanksOptions,
): readonly RankInterval[] {
  const { draws = 1000, places = 200 } = options;
  const drawn = Math.min(ranking.order.length, places * 2);
  const spread = Float64Array.from({ length: drawn }, (_, place) => dynascoreError(board, ranking, place));
  const histogram = drawRanks(ranking.dynascore, spread, draws, seededRng(options.seed));

  return Array.from({ length: Math.min(drawn, places) }, (_, place) => {
    if (Number.isNaN(spread[place]!)) return { rankLow: null, rankHigh: null, first: null, tie: 0 };

    const counts = histogram.subarray(place * drawn, (place + 1) * drawn);
    return {
      rankLow: Math.min(ranking.rank[place]!, rankAt(counts, 0.025 * draws)),
      rankHigh: Math.max(ranking.rank[place]!, rankAt(counts, 0.975 * draws)),
      first: counts[0]! / draws,
      tie: tiedBelow(ranking.dynascore, spread, place),
    };
  });
}

/**
 * Returns the standard error of the Dynascore of a place; NaN if no weighted metric has an error.
 */
export function dynascoreError(board: Board, ranking: Ranking, place: number): number {
  const errors = ranking.coefficients.map(
    (coefficient, column) => coefficient * board.errors[ranking.order[place]! * board.metrics.length + column]!,
  );
  const known = errors.filter((error, column) => ranking.coefficients[column]! > 0 && error >= 0);
  return known.length === 0 ? NaN : total(known);
}

/** Returns places × ranks: how often each place was drawn at each rank. */
function drawRanks(scores: Float64Array, spread: Float64Array, draws: number, rng: Rng): Int32Array {
  const count = spread.length;
  const histogram = new Int32Array(count * count);
  const drawn = new Float64Array(count);
  for (let draw = 0; draw < draws; draw++) {
    for (let place = 0; place < count; place++) drawn[place] = scores[place]! + (spread[place]! || 0) * drawNormal(rng);
    const order = descendingOrder(drawn);
    let rank = 0;
    for (let index = 0; index < count; index++) {
      // equal scores share the better rank, as on the board
      if (index === 0 || drawn[order[index]!] !== drawn[order[index - 1]!]) rank = index;
      histogram[order[index]! * count + rank]!++;
    }
  }
  return histogram;
}

function rankAt(counts: Int32Array, until: number): number {
  let seen = 0;
  for (let rank = 0; rank < counts.length; rank++) {
    seen += counts[rank]!;
    if (seen > until) return rank + 1;
  }
  return counts.length;
}

function tiedBelow(scores: Float64Array, spread: Float64Array, place: number): number {
  let tie = 0;
  for (let below = place + 1; below < spread.length; below++) {
    const limit = Z95 * Math.hypot(spread[place]!, spread[below]! || 0);
    if (scores[place]! - scores[below]! > limit) break;
    tie++;
  }
  return tie;
}
