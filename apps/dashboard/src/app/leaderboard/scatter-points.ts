import { paretoFront } from '@assay/scoring';
import type { FigureColumn } from './board-columns.js';
import type { Figure } from './board-figures.js';
import type { BoardView } from './board-ranks.js';

/** A model as a point: what it has on two metrics. */
export interface ScatterPoint {
  /** Place of the model in the file. */
  readonly model: number;
  readonly x: Figure;
  readonly y: Figure;
  /** No other model is at least as good on both and better on one. */
  readonly isFront: boolean;
}

/** The models of `models` (places in the file) that have both figures, the front marked among all of them, from left to right. */
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
