import type { FigureColumn } from '../board/board-columns.js';

export const MOST_AXES = 8;
export const MOST_SHAPES = 4;

/**
 * Returns the position of a model on an axis of the radar chart: 0 (centre) for the worst ranked
 * model, 1 (edge) for the best. 1 if all have the same value.
 */
export function radarPlace({ metric }: FigureColumn, value: number, [worst, best]: readonly [number, number]): number {
  if (!(best > worst)) return 1;
  const share = Math.min(1, Math.max(0, (value - worst) / (best - worst)));
  return metric.direction === 'higher' ? share : 1 - share;
}

/**
 * Returns the chosen axes that exist. Without a choice, the metrics with a weight, heaviest first,
 * filled up to five with other scores. At most `MOST_AXES`.
 */
export function radarAxes(
  columns: readonly FigureColumn[],
  chosen: readonly string[] | null,
  shares: Readonly<Record<string, number>>,
): readonly FigureColumn[] {
  const metrics = columns.filter(({ type }) => type === 'metric');
  if (chosen) return metrics.filter(({ id }) => chosen.includes(id)).slice(0, MOST_AXES);
  const share = ({ id }: FigureColumn): number => shares[id] ?? 0;
  const weighed = metrics.filter((column) => share(column) > 0).sort((a, b) => share(b) - share(a));
  // two axes would be a line, so metrics without a weight fill up the chart
  const others = metrics.filter((column) => share(column) === 0 && column.metric.isScore);
  return [...weighed, ...others].slice(0, Math.max(Math.min(weighed.length, MOST_AXES), 5));
}
