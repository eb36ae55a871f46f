import type { BoardRanks, BoardView } from './board-ranks.js';
import type { BoardQuery } from './board-query.js';

/** Models that are scored and have no rank, because they lack a metric that weighs. */
export interface UnrankedRows {
  /** Places in the file, the best performance first. */
  readonly models: Int32Array;
  /** Names of the weighed metrics that at least one of them lacks, in the order of the board. */
  readonly lacking: readonly string[];
}

export const NO_UNRANKED: UnrankedRows = { models: new Int32Array(), lacking: [] };

/**
 * The models that have a figure of the performance metric but no rank. Models without that figure are incomplete, and models
 * that came too late for a board of clean models were left out on purpose: neither is among them.
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

/** The weights, beside the task's own, by which the performance metric alone ranks. */
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
