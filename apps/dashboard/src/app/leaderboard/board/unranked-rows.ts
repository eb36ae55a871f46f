import type { BoardRanks, BoardView } from './board-ranks.js';
import type { BoardQuery } from './board-query.js';

/** Scored models without a rank, because they lack a metric that has a weight. */
export interface UnrankedRows {
  /** Indices in the matrix file, best performance first. */
  readonly models: Int32Array;
  /** Weighted metrics that at least one of the models lacks, by name, in the order of the board. */
  readonly lacking: readonly string[];
}

export const NO_UNRANKED: UnrankedRows = { models: new Int32Array(), lacking: [] };

/**
 * Returns models that have the performance metric but no rank. Leaves out models without that
 * metric, which are incomplete, and models that a board of clean models excludes for contamination.
 */
export function unrankedRows(
  { rankable, figures }: BoardView,
  { ranks, effective }: BoardRanks,
  exposure: BoardQuery['exposure'],
): UnrankedRows {
  const { metrics, values, performance } = rankable.board;
  const weighed = metrics.flatMap(({ name }, column) => ((effective[name] ?? 0) > 0 ? [{ name, column }] : []));
  const value = (model: number, column: number): number => values[model * metrics.length + column]!;
  const lacking = new Set<string>();
  const models: number[] = [];
  for (let model = 0; model < ranks.length; model++) {
    if (ranks[model] !== 0 || Number.isNaN(value(model, performance))) continue;
    if (exposure === 'clean' && !figures.isClean(model)) continue;
    const absent = weighed.filter(({ column }) => Number.isNaN(value(model, column)));
    if (absent.length === 0) continue;
    absent.forEach(({ name }) => lacking.add(name));
    models.push(model);
  }
  const sign = metrics[performance]!.direction === 'higher' ? -1 : 1;
  models.sort((a, b) => sign * (value(a, performance) - value(b, performance)));
  return {
    models: Int32Array.from(models),
    lacking: weighed.flatMap(({ name }) => (lacking.has(name) ? [name] : [])),
  };
}

/** Returns the changes to the task's weights that rank by the performance metric alone. */
export function performanceAlone(
  weights: Readonly<Record<string, number>>,
  performance: string,
): Readonly<Record<string, number>> {
  const others = Object.entries(weights).filter(([name, weight]) => name !== performance && weight > 0);
  return {
    ...((weights[performance] ?? 0) === 0 && { [performance]: 1 }),
    ...Object.fromEntries(others.map(([name]) => [name, 0])),
  };
}
