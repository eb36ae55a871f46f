import { aggregateInterval } from './aggregation.js';
import type { AggregatedMatrix, BoardMatrix } from './board-matrix.js';

/**
 * The performance of the reference rows that need no model (majority, random): per row one value
 * per dataset, null if it is unknown.
 */
export type Baselines = readonly (readonly (number | null)[])[];

/**
 * Marks the models below the baseline with 1: those whose performance interval does not lie above
 * the best reference row. Without an interval, the value itself must. Null if no reference row has
 * a value on every weighted dataset, so that no model is below it.
 *
 * @param weights one per dataset
 */
export function belowBaseline(
  matrix: BoardMatrix,
  { board, standardErrors }: AggregatedMatrix,
  weights: Float64Array,
): Uint8Array | null {
  const { direction, range } = matrix.metrics[board.performance]!;
  const values = (matrix.baselines ?? []).flatMap((row) => meanOf(row, weights) ?? []);
  if (values.length === 0) return null;

  const sign = direction === 'lower' ? -1 : 1;
  const baseline = Math.max(...values.map((value) => sign * value));
  return Uint8Array.from(board.ids, (_, model) => {
    const cell = model * board.metrics.length + board.performance;
    const value = board.values[cell]!;
    const interval = aggregateInterval(value, standardErrors[cell]!, range);
    const worst = (direction === 'lower' ? interval?.high : interval?.low) ?? value;
    return sign * worst > baseline ? 0 : 1;
  });
}

/** Returns the weighted mean; null if a weighted dataset has no value or all weights are 0. */
function meanOf(values: readonly (number | null)[], weights: Float64Array): number | null {
  let sum = 0;
  let weighted = 0;
  for (const [dataset, weight] of weights.entries()) {
    if (weight === 0) continue;
    const value = values[dataset] ?? null;
    if (value === null) return null;
    sum += weight;
    weighted += weight * value;
  }
  return sum === 0 ? null : weighted / sum;
}
