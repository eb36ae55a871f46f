import { DomainError } from '@assay/kernel';
import type { BoardMetric } from './utility.js';

/** The part of a ranking that does not depend on weights. Create it once and rank it often. */
export interface Board {
  readonly ids: readonly string[];
  readonly metrics: readonly BoardMetric[];
  /** Index of the performance metric in `metrics`. */
  readonly performance: number;
  /** Values in the metrics' units, models × metrics, row by row; NaN if missing. */
  readonly values: Float64Array;
  /** Utilities, in the same shape. */
  readonly utilities: Float64Array;
  /** Standard errors of the utilities, in the same shape; NaN if unknown. */
  readonly errors: Float64Array;
}

/**
 * Returns the weights in the order of the board's metrics. Metrics that are not named have weight
 * 0.
 *
 * @throws DomainError `unknown_metric`, `invalid_weight`, `all_weights_zero`
 */
export function weightsOf(board: Board, weights: Readonly<Record<string, number>>): Float64Array {
  const columns = new Float64Array(board.metrics.length);
  for (const [name, weight] of Object.entries(weights)) {
    if (!(weight >= 0 && weight < Infinity)) throw invalidWeight('weights', name, weight);
    const column = board.metrics.findIndex((metric) => metric.name === name);
    if (column >= 0) columns[column] = weight;
    else if (weight > 0) throw unknownMetric(name);
  }
  if (columns.every((weight) => weight === 0)) {
    throw new DomainError('invalid', 'all_weights_zero', 'At least one metric needs a weight above 0.');
  }
  return columns;
}

/**
 * The latest result of `completeRows` per board. Moving a slider changes how much a metric weighs,
 * but rarely whether it does.
 */
const lastComplete = new WeakMap<Board, { readonly needed: string; readonly rows: Int32Array }>();

/**
 * Returns the rows that have the performance metric and every metric of non-zero weight. The result
 * is cached and must not be changed.
 */
export function completeRows(board: Board, weights: Float64Array): Int32Array {
  const needed = neededColumns(board, weights);
  const names = needed.join();
  const last = lastComplete.get(board);
  if (last?.needed === names) return last.rows;

  const rows = rowsWith(board, needed);
  lastComplete.set(board, { needed: names, rows });
  return rows;
}

/**
 * Returns the columns of non-zero weight and that of the performance, without which a model has no
 * position in the order that ranks and exchange rates use.
 */
export const neededColumns = ({ performance }: Board, weights: Float64Array): readonly number[] =>
  Array.from(weights.keys()).filter((column) => weights[column]! > 0 || column === performance);

/** Returns the rows that have a value in all of these columns. */
function rowsWith({ ids, metrics, utilities }: Board, columns: readonly number[]): Int32Array {
  const rows = new Int32Array(ids.length);
  let count = 0;
  for (let row = 0; row < rows.length; row++) {
    const cells = row * metrics.length;
    let place = 0;
    while (place < columns.length && !Number.isNaN(utilities[cells + columns[place]!]!)) place++;
    if (place === columns.length) rows[count++] = row;
  }
  return rows.slice(0, count);
}

/** The largest weight of a request or a task definition. Larger ones would lose the digits of others. */
export const LARGEST_WEIGHT = 1e6;

/**
 * Refuses weights that a request may not set. The bound does not apply to stored weights, which may
 * be older than it.
 *
 * @throws DomainError `invalid_weight`
 */
export function expectBounded(of: 'weights' | 'datasets', weights: Readonly<Record<string, number>>): void {
  for (const [name, weight] of Object.entries(weights)) {
    if (weight > LARGEST_WEIGHT) throw invalidWeight(of, name, weight);
  }
}

export function unknownMetric(name: string): DomainError {
  return new DomainError('invalid', 'unknown_metric', `The board has no metric "${name}".`);
}

/**
 * Returns the error for an invalid weight.
 *
 * @param of the parameter that contains the weight
 * @param name of the metric or dataset
 * @param weight NaN means that it is not a number
 */
export function invalidWeight(of: 'weights' | 'datasets', name: string, weight: number): DomainError {
  const what = of === 'weights' ? 'metric' : 'dataset';
  const bound = weight > LARGEST_WEIGHT ? `at most ${LARGEST_WEIGHT}` : 'at least 0';
  const why = `must be a number of ${bound}${Number.isNaN(weight) ? '' : `, not ${weight}`}`;
  return new DomainError('invalid', 'invalid_weight', `The weight of the ${what} "${name}" ${why}.`, [
    { path: `${of}.${name}`, message: why },
  ]);
}
