import type { FigureColumn } from './board-columns.js';

export const MOST_AXES = 8;
export const MOST_SHAPES = 4;

/** A model's figure on an axis of the radar: 0 in the middle, the worst that anybody has; 1 at the edge, the best. */
export function radarPlace({ metric }: FigureColumn, value: number, [worst, best]: readonly [number, number]): number {
  if (!(best > worst)) return 1;
  const share = Math.min(1, Math.max(0, (value - worst) / (best - worst)));
  return metric.direction === 'higher' ? share : 1 - share;
}

/** The axes that a reader chose as far as they exist, or the metrics that weigh, the heaviest first; at most eight. */
export function radarAxes(
  columns: readonly FigureColumn[],
  chosen: readonly string[] | null,
  shares: Readonly<Record<string, number>>,
): readonly FigureColumn[] {
  const metrics = columns.filter(({ type }) => type === 'metric');
  if (chosen) return metrics.filter(({ id }) => chosen.includes(id)).slice(0, MOST_AXES);
  const share = ({ id }: FigureColumn): number => shares[id] ?? 0;
  const weighed = metrics.filter((column) => share(column) > 0).sort((a, b) => share(b) - share(a));
  // two axes are a line: what does not weigh fills up
  const others = metrics.filter((column) => share(column) === 0 && column.metric.isScore);
  return [...weighed, ...others].slice(0, Math.max(Math.min(weighed.length, MOST_AXES), 5));
}
