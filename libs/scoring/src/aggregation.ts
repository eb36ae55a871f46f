import { bareEstimate, Z95, type Estimate } from './estimate.js';

/** What an aggregate needs of a cell; a stored cell may lack its standard error, which is then had from the interval's width. */
export interface CellEstimate {
  readonly value: number;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly standardError?: number | null;
  /** The value is that of `fitOwnCells`: the dataset was collected against the model. */
  readonly estimated?: boolean;
}

export interface Aggregate {
  /** Null where a dataset of non-zero weight lacks a value, or nothing weighs: a missing score is never 0. */
  readonly estimate: Estimate | null;
  /** Datasets of non-zero weight without a value. */
  readonly missing: readonly string[];
  /** Datasets of non-zero weight whose value is fitted; with any, the aggregate is marked estimated. */
  readonly estimated: readonly string[];
}

/**
 * One metric of one model over the datasets: x̄ = Σ w_d x_d / Σ w_d, with SE = √(Σ w_d² SE_d²) / Σ w_d and the 95% interval x̄ ± 1.96 SE
 * clipped to `range`. No interval where a cell has none (costs). A fitted value is the mean of the model's other cells plus a shift by the
 * datasets' effects; those taken as known, the aggregate's error is that of the weighted mean of the other cells, √(Σ w_d² SE_d²) / Σ w_d over
 * them alone. What the model's liking for a dataset adds to it is not known, and not in it.
 */
export function aggregate(
  cells: Readonly<Record<string, CellEstimate | null | undefined>>,
  weights: Readonly<Record<string, number>>,
  range: readonly [low: number, high: number] = [-Infinity, Infinity],
): Aggregate {
  const weighed = Object.entries(weights).filter(([, weight]) => weight > 0);
  const missing = weighed.map(([name]) => name).filter((name) => !Number.isFinite(cells[name]?.value));
  const estimated = weighed.map(([name]) => name).filter((name) => cells[name]?.estimated === true);
  if (missing.length > 0 || weighed.length === 0) return { estimate: null, missing, estimated };

  let sum = 0;
  let weighted = 0;
  let variance = 0;
  let measured = 0;
  for (const [name, weight] of weighed) {
    const cell = cells[name]!;
    sum += weight;
    weighted += weight * cell.value;
    if (cell.estimated) continue;
    measured += weight;
    variance += (weight * (standardErrorOf(cell) ?? NaN)) ** 2;
  }
  const value = weighted / sum;
  const standardError = Math.sqrt(variance) / measured;
  if (Number.isNaN(standardError)) return { estimate: bareEstimate(value), missing, estimated };

  const low = Math.max(range[0], value - Z95 * standardError);
  const high = Math.min(range[1], value + Z95 * standardError);
  return { estimate: { value, low, high, standardError }, missing, estimated };
}

/** As stored, or from the width of the interval; null where neither is there. */
export function standardErrorOf(cell: CellEstimate): number | null {
  if (typeof cell.standardError === 'number') return cell.standardError;
  if (typeof cell.low !== 'number' || typeof cell.high !== 'number') return null;
  return (cell.high - cell.low) / (2 * Z95);
}

/**
 * The same for many models at once and values alone: `values` is models × datasets, row by row, NaN where missing; `weights` one a dataset. A
 * model that lacks a value of non-zero weight gets NaN.
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
