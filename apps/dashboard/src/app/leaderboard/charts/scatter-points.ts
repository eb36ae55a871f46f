import { paretoFront } from '@assay/scoring/board';
import type { FigureColumn } from '../board/board-columns.js';
import type { Figure } from '../board/board-figures.js';
import type { BoardView } from '../board/board-ranks.js';

/** A model as a point: its figures on two metrics. */
export interface ScatterPoint {
  /** The index of the model in the matrix file. */
  readonly model: number;
  readonly x: Figure;
  readonly y: Figure;
  /** True if no other model is at least as good on both metrics and better on one. */
  readonly isFront: boolean;
}

/**
 * Returns the points of those `models` (indices in the matrix file) that have both figures, from
 * left to right. The Pareto front is that of the whole board.
 */
export function scatterPoints(
  { rankable, figures }: BoardView,
  x: FigureColumn,
  y: FigureColumn,
  models: readonly number[],
): readonly ScatterPoint[] {
  const front = new Set(x.id === y.id ? [] : paretoFront(rankable.board, [x.metric.name, y.metric.name]));
  return models
    .flatMap((model) => {
      const [left, right] = [figures.figure(x, model), figures.figure(y, model)];
      return left && right ? [{ model, x: left, y: right, isFront: front.has(model) }] : [];
    })
    .sort((a, b) => a.x.value - b.x.value);
}
