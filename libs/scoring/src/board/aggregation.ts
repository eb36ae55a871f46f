import { bareEstimate, Z95, type Estimate } from '../estimate.js';

/**
 * The facts that aggregation needs about a cell. If a stored cell has no standard error, it is
 * derived from the width of the interval.
 */
export interface CellEstimate {
  readonly value: number;
  readonly low?: number | null;
  readonly high?: number | null;
  /** That of a fitted value is the error that `fitOwnCells` returns. */
  readonly standardError?: number | null;
  /**
   * True if the value comes from `fitOwnCells`, because the dataset was collected against the
   * model.
   */
  readonly estimated?: boolean;
}

export interface Aggregate {
  /**
   * Null if a dataset of non-zero weight has no value, or if all weights are 0. A missing score is
   * never 0.
   */
  readonly estimate: Estimate | null;
  /** Datasets of non-zero weight without a value. */
  readonly missing: readonly string[];
  /**
   * Datasets of non-zero weight whose value is fitted. If there are any, the aggregate is marked as
   * estimated.
   */
  readonly estimated: readonly string[];
}

/**
 * Aggregates one metric of one model over the datasets: x̄ = Σ w_d x_d / Σ w_d, with
 * SE = √(Σ w_d² SE_d²) / Σ w_d and the 95% interval x̄ ± 1.96 SE, clipped to `range`. No interval
 * if a cell has no error, as for costs.
 *
 * A fitted value is the mean of the model's other cells plus a shift by the dataset effects, so it
 * moves with the other cells: their part of the error is √(Σ w_d² SE_d²) over the sum of their own
 * weights. The error that the fit leaves in the value is independent of it and adds w_d² SE_d².
 */
export function aggregate(
  cells: Readonly<Record<string, CellEstimate | null | undefined>>,
  weights: Readonly<Record<string, number>>,
  range?: readonly [low: number, high: number],
): Aggregate {
  const weighed = Object.entries(weights).filter(([, weight]) => weight > 0);
  const missing = weighed.map(([name]) => name).filter((name) => !Number.isFinite(cells[name]?.value));
  const estimated = weighed.map(([name]) => name).filter((name) => cells[name]?.estimated === true);
  if (missing.length > 0 || weighed.length === 0) return { estimate: null, missing, estimated };

  let sum = 0;
  let weighted = 0;
  let variance = 0;
  let measured = 0;
  let ofFit = 0;
  for (const [name, weight] of weighed) {
    const cell = cells[name]!;
    const squared = (weight * (standardErrorOf(cell) ?? NaN)) ** 2;
    sum += weight;
    weighted += weight * cell.value;
    if (cell.estimated) {
      ofFit += squared;
      continue;
    }
    measured += weight;
    variance += squared;
  }
  const value = weighted / sum;
  const standardError = aggregateError({ variance, measured, ofFit, sum });
  const interval = aggregateInterval(value, standardError, range);
  return { estimate: interval ? { value, ...interval, standardError } : bareEstimate(value), missing, estimated };
}

/**
 * Returns the standard error of an aggregate.
 *
 * @param parts `variance` is Σ w_d² SE_d² over the measured cells and `measured` the sum of their
 *   weights; `ofFit` is Σ w_d² SE_d² over the fitted cells; `sum` is the sum of all weights
 */
export function aggregateError(parts: {
  readonly variance: number;
  readonly measured: number;
  readonly ofFit: number;
  readonly sum: number;
}): number {
  const error = Math.sqrt(parts.variance) / parts.measured;
  return parts.ofFit === 0 ? error : Math.hypot(error, Math.sqrt(parts.ofFit) / parts.sum);
}

/**
 * Returns the 95% interval of an aggregate, clipped to the metric's range; null if its error is
 * unknown.
 */
export function aggregateInterval(
  value: number,
  standardError: number,
  [lowest, highest]: readonly [number, number] = [-Infinity, Infinity],
): { readonly low: number; readonly high: number } | null {
  if (Number.isNaN(standardError)) return null;
  return {
    low: Math.max(lowest, value - Z95 * standardError),
    high: Math.min(highest, value + Z95 * standardError),
  };
}

/**
 * Returns the stored standard error, or the one derived from the width of the interval; null
 * without either.
 */
export function standardErrorOf(cell: CellEstimate): number | null {
  if (typeof cell.standardError === 'number') return cell.standardError;
  if (typeof cell.low !== 'number' || typeof cell.high !== 'number') return null;
  return (cell.high - cell.low) / (2 * Z95);
}

/**
 * Aggregates the values of many models at once, without errors. A model that lacks a value of
 * non-zero weight gets NaN.
 *
 * @param values models × datasets, row by row; NaN if missing
 * @param weights one per dataset
 */
export function aggregateMatrix(values: Float64Array, weights: Float64Array): Float64Array {
  const datasets = weights.length;
  const models = datasets === 0 ? 0 : values.length / datasets;
  const active = Int32Array.from(weights.keys()).filter((dataset) => weights[dataset]! > 0);
  const sum = active.reduce((before, dataset) => before + weights[dataset]!, 0);

  const aggregates = new Float64Array(models);
  for (let model = 0; model < models; model++) {
    const cells = model * datasets;
    let weighted = 0;
    for (let place = 0; place < active.length; place++) {
      const dataset = active[place]!;
      weighted += weights[dataset]! * values[cells + dataset]!;
    }
    aggregates[model] = weighted / sum;
  }
  return aggregates;
}
