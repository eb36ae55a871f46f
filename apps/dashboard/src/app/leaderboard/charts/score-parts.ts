import type { BoardRanks, BoardView } from '../board/board-ranks.js';

/** The contribution of a metric to the score of a model. */
export interface ScorePart {
  readonly metric: string;
  readonly unit: string;
  /** The value in the unit of the metric. */
  readonly value: number;
  /** The value on a scale where higher is better: percent, examples per second, GiB left free. */
  readonly utility: number;
  /**
   * The exchange rate: units of utility that one point of performance is worth. 0 if the models do
   * not differ in the metric.
   */
  readonly rate: number;
  /** The share of the total weight, as a ratio. */
  readonly share: number;
  /** share · utility ÷ rate. */
  readonly points: number;
}

/**
 * Splits the score of a model into the contributions of its metrics, which sum to it. Leaves out
 * metrics without a weight. `model` is an index in the matrix file.
 */
export function scoreParts(
  { rankable }: BoardView,
  { ranking, calibration }: BoardRanks,
  model: number,
): readonly ScorePart[] {
  const { metrics, values, utilities } = rankable.board;
  return metrics.flatMap(({ name, unit }, column) => {
    const coefficient = ranking.coefficients[column]!;
    if (coefficient === 0) return [];
    const cell = model * metrics.length + column;
    const utility = utilities[cell]!;
    const share = ranking.weights[column]!;
    return [
      {
        ...{ metric: name, unit, value: values[cell]!, utility, share },
        rate: calibration.amrs[name] ?? (coefficient > 0 ? share / coefficient : 0),
        points: coefficient * utility,
      },
    ];
  });
}
