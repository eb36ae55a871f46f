import { DomainError } from '@assay/kernel';
import { completeRows, neededColumns, weightsOf, type Board } from './board.js';
import { descendingOrder } from './descending-order.js';
import type { Calibration, Degenerate } from './dynascore.js';
import { fixedCoefficients } from './exchange.js';

/** A board in ranking order, as columns. Place i is row `order[i]` of the board. */
export interface Ranking {
  /**
   * Rows of the board from best to worst; only rows that have the performance metric and every
   * metric of non-zero weight.
   */
  readonly order: Int32Array;
  /** The score by place (the Dynascore where AMRS is used). */
  readonly dynascore: Float64Array;
  /**
   * The rank by place, from 1. Equal scores share a rank, and the next rank skips as many:
   * 1, 1, 3.
   */
  readonly rank: Int32Array;
  /**
   * The effective weight by metric. The weights sum to 1; a metric without information passes its
   * weight to the others.
   */
  readonly weights: Float64Array;
  /** The coefficient by metric: score = Σ coefficient · utility. */
  readonly coefficients: Float64Array;
  readonly degenerate: Degenerate | null;
}

/** The exchange rates (AMRS) that a ranking uses. Null: the board has fixed rates. */
export type RankingRates = Pick<Calibration, 'amrs' | 'degenerate'> | null;

/**
 * Ranks a board. With fixed rates the score is Σ_k (w_k / W) · u_k (`fixedCoefficients`). With AMRS
 * it is the Dynascore Σ_k (w_k / Σ_j w_j) · u_k / AMRS_k, where a metric of AMRS 0 passes its
 * weight to the others. With a degenerate calibration, or without a metric that has information,
 * ranks by the utility of the performance. 10,000 models × 6 metrics take less than a millisecond.
 *
 * @throws DomainError `no_amrs` if the calibration lacks a weighted metric; also the errors of
 *   `weightsOf`
 */
export function rankBoard(board: Board, weights: Readonly<Record<string, number>>, rates: RankingRates): Ranking {
  const columns = weightsOf(board, weights);
  const rows = completeRows(board, columns);
  const { effective, coefficients, degenerate } = coefficientsOf(board, columns, rates);
  const scores = dynascores(board, rows, coefficients);
  const order = descendingOrder(scores);

  const dynascore = new Float64Array(rows.length);
  for (let place = 0; place < rows.length; place++) {
    const index = order[place]!;
    order[place] = rows[index]!;
    dynascore[place] = scores[index]!;
  }
  return { order, dynascore, rank: ranksOf(dynascore), weights: effective, coefficients, degenerate };
}

function ranksOf(dynascore: Float64Array): Int32Array {
  const rank = new Int32Array(dynascore.length);
  for (let place = 0; place < rank.length; place++) {
    rank[place] = place > 0 && dynascore[place] === dynascore[place - 1] ? rank[place - 1]! : place + 1;
  }
  return rank;
}

/**
 * Returns the ranking of some rows among themselves. Their scores stay the same, because a score
 * does not depend on the other models.
 */
export function rankingAmong(ranking: Ranking, isAmong: (row: number) => boolean): Ranking {
  const places = Int32Array.from(ranking.order.keys()).filter((place) => isAmong(ranking.order[place]!));
  const dynascore = Float64Array.from(places, (place) => ranking.dynascore[place]!);
  const order = Int32Array.from(places, (place) => ranking.order[place]!);
  return { ...ranking, order, dynascore, rank: ranksOf(dynascore) };
}

interface Coefficients extends Pick<Ranking, 'coefficients' | 'degenerate'> {
  readonly effective: Float64Array;
}

/**
 * Returns the coefficient of each metric in the score.
 *
 * @param weights in the order of the metrics, of any scale
 */
export function coefficientsOf(board: Board, weights: Float64Array, rates: RankingRates): Coefficients {
  if (rates) return amrsCoefficients(board, weights, rates);
  const sum = weights.reduce((before, weight) => before + weight, 0);
  const effective = weights.map((weight) => weight / sum);
  return { effective, coefficients: fixedCoefficients(board.metrics, weights), degenerate: null };
}

function amrsCoefficients(board: Board, weights: Float64Array, calibration: NonNullable<RankingRates>): Coefficients {
  const rates = board.metrics.map(({ name }, column) => {
    const rate = calibration.amrs[name];
    if (rate === undefined && weights[column]! > 0 && !calibration.degenerate) throw missingRate(name);
    return rate ?? 0;
  });
  const effective = weights.map((weight, column) => (rates[column]! > 0 ? weight : 0));
  const sum = effective.reduce((before, weight) => before + weight, 0);
  const degenerate = calibration.degenerate ?? (sum === 0 ? 'no_information' : null);
  if (degenerate) {
    const performanceOnly = weights.map((_, column) => (column === board.performance ? 1 : 0));
    return { effective: performanceOnly, coefficients: performanceOnly, degenerate };
  }

  for (let column = 0; column < effective.length; column++) effective[column]! /= sum;
  const coefficients = effective.map((weight, column) => (weight === 0 ? 0 : weight / rates[column]!));
  return { effective, coefficients, degenerate };
}

/** A buffer with one score per ranked row, reused because allocating memory is expensive. */
let scoreBuffer = new Float64Array(0);

/** Returns the Dynascores in the order of `rows`. The result is valid until the next call. */
function dynascores({ utilities }: Board, rows: Int32Array, coefficients: Float64Array): Float64Array {
  const width = coefficients.length;
  // metrics with coefficient 0 may be missing, and NaN · 0 is NaN
  const active = Int32Array.from(coefficients.keys()).filter((column) => coefficients[column]! > 0);
  if (scoreBuffer.length < rows.length) scoreBuffer = new Float64Array(rows.length);
  const scores = scoreBuffer.subarray(0, rows.length);
  for (let index = 0; index < rows.length; index++) {
    const cells = rows[index]! * width;
    let score = 0;
    for (let place = 0; place < active.length; place++) {
      const column = active[place]!;
      score += coefficients[column]! * utilities[cells + column]!;
    }
    scores[index] = score;
  }
  return scores;
}

function missingRate(name: string): DomainError {
  const message = `The benchmark version has no exchange rate for "${name}". Use amrs=live.`;
  return new DomainError('invalid', 'no_amrs', message);
}

/**
 * A row that lacks the performance metric or a metric of non-zero weight. It has no rank and comes
 * after all others.
 */
interface IncompleteRow {
  readonly id: string;
  readonly missing: readonly string[];
}

/**
 * Returns the rows that cannot be ranked, in their order, with the metrics that they lack. Throws
 * the errors of `weightsOf`.
 */
export function incompleteRows(board: Board, weights: Readonly<Record<string, number>>): IncompleteRow[] {
  const needed = neededColumns(board, weightsOf(board, weights));
  return board.ids.flatMap((id, row) => {
    const missing = needed.filter((column) => Number.isNaN(board.utilities[row * board.metrics.length + column]));
    return missing.length > 0 ? [{ id, missing: missing.map((column) => board.metrics[column]!.name) }] : [];
  });
}
