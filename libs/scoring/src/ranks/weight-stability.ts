import { seededRng, type Rng } from '@assay/kernel';
import { completeRows, weightsOf, type Board } from '../board/board.js';
import { undominated } from '../board/pareto-front.js';
import { coefficientsOf, rankBoard, rankingAmong, type RankingRates } from '../board/ranking.js';
import { drawGamma } from '../random-draws.js';

/** How much the first place depends on the weights. */
export interface WeightStability {
  /** The model that is first with the given weights; null if no model is ranked. */
  readonly first: string | null;
  /** The share of draws in which it stays first; null if no model is ranked. */
  readonly stays: number | null;
  /**
   * The share of draws in which each model is first, the most frequent first. Models that share the
   * first place all count.
   */
  readonly firsts: readonly { readonly id: string; readonly share: number }[];
  readonly draws: number;
}

export interface WeightStabilityOptions {
  readonly seed: string;
  readonly draws?: number;
  /** Per row of the board, 1 if it cannot be first because it is not ranked. Default: all can. */
  readonly excluded?: Uint8Array | null;
}

/**
 * The sum of the Dirichlet parameters. A weight of one half then has a standard deviation of about
 * 7 percentage points.
 */
const CONCENTRATION = 50;

/**
 * Returns how often the first model stays first if the weights change slightly. They are drawn from
 * a Dirichlet distribution around the given weights, α = 50 · w / Σw, with constant exchange rates.
 * Only rows that no other row dominates can become first. Throws the errors of `rankBoard`.
 */
export function weightStability(
  board: Board,
  weights: Readonly<Record<string, number>>,
  rates: RankingRates,
  { seed, draws = 1000, excluded = null }: WeightStabilityOptions,
): WeightStability {
  const isRanked = (row: number): boolean => excluded?.[row] !== 1;
  const ranking = rankingAmong(rankBoard(board, weights, rates), isRanked);
  if (ranking.order.length === 0) return { first: null, stays: null, firsts: [], draws };

  const columns = weightsOf(board, weights);
  const contenders = contendersOf(board, columns, {
    coefficients: ranking.coefficients,
    isRanked,
  });
  const rng = seededRng(seed);
  const counts = new Map<number, number>();
  for (let draw = 0; draw < draws; draw++) {
    const { coefficients } = coefficientsOf(board, drawWeights(columns, rng), rates);
    for (const row of bestRows(board, contenders, coefficients)) counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const first = ranking.order[0]!;
  const firsts = Array.from(counts, ([row, times]) => ({ id: board.ids[row]!, share: times / draws }));
  firsts.sort((a, b) => b.share - a.share);
  return { first: board.ids[first]!, stays: (counts.get(first) ?? 0) / draws, firsts, draws };
}

/**
 * Returns the complete rows that can become first while only the columns with a coefficient above 0
 * count.
 */
function contendersOf(
  board: Board,
  weights: Float64Array,
  {
    coefficients,
    isRanked,
  }: {
    readonly coefficients: Float64Array;
    readonly isRanked: (row: number) => boolean;
  },
): Int32Array {
  const active = Array.from(coefficients.keys()).filter((column) => coefficients[column]! > 0);
  return undominated(board, completeRows(board, weights).filter(isRanked), active);
}

function drawWeights(weights: Float64Array, rng: Rng): Float64Array {
  const sum = weights.reduce((before, weight) => before + weight, 0);
  // gammas divided by their sum follow the Dirichlet distribution; ranks do not need the division
  return weights.map((weight) => (weight === 0 ? 0 : drawGamma((CONCENTRATION * weight) / sum, rng)));
}

function bestRows(board: Board, rows: Int32Array, coefficients: Float64Array): readonly number[] {
  const width = coefficients.length;
  let best = -Infinity;
  let found: number[] = [];
  for (const row of rows) {
    let score = 0;
    for (let column = 0; column < width; column++) {
      if (coefficients[column]! > 0) score += coefficients[column]! * board.utilities[row * width + column]!;
    }
    if (score > best) [best, found] = [score, [row]];
    else if (score === best) found.push(row);
  }
  return found;
}
