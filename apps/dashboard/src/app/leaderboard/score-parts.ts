import type { BoardRanks, BoardView } from './board-ranks.js';

/** What a metric adds to the score of a model. */
export interface ScorePart {
  readonly metric: string;
  readonly unit: string;
  /** In its unit. */
  readonly value: number;
  /** The same so that more is better: percent, examples per second, GiB left free. */
  readonly utility: number;
  /** Units of utility that one point of performance is worth; 0: the models do not differ in it. */
  readonly rate: number;
  /** Of all weight, as a ratio. */
  readonly share: number;
  /** share · utility ÷ rate. */
  readonly points: number;
}

/** How the score of a model (by its place in the file) comes about: the points of its parts sum to it. Metrics that weigh nothing are left out. */
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
