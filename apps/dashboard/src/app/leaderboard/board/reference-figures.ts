import type { Leaderboard } from '@assay/api-client/angular';
import type { EstimateValue } from '../../ui/charts/estimate.js';
import type { FigureColumn } from './board-columns.js';

export type Reference = Leaderboard['references'][number];

/** Returns the figure of a reference in a column. Undefined if it has none. */
export function referenceFigure(reference: Reference, column: FigureColumn): EstimateValue | undefined {
  const figures = column.type === 'metric' ? reference.metrics : reference.datasets[column.dataset];
  return figures?.[column.metric.name];
}

/** Widens a scale so that it contains these figures with their intervals. */
export function widened(
  [lowest, highest]: readonly [number, number],
  figures: readonly EstimateValue[],
): readonly [number, number] {
  return [
    Math.min(lowest, ...figures.map(({ low, value }) => low ?? value)),
    Math.max(highest, ...figures.map(({ high, value }) => high ?? value)),
  ];
}
