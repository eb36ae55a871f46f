import { aggregateMatrix } from './aggregation.js';
import { Z95 } from './estimate.js';
import type { Board } from './board.js';
import { fitOwnCells } from './own-cells.js';
import type { AggregateSettings, WeighedDataset } from './dataset-weights.js';
import { utilityRule, type BoardMetric } from './utility.js';

/** Whether cells on datasets that were collected against the model are fitted from its others, or count as they are. */
export type OwnRounds = 'adjust' | 'count';

/** A column of a board with what aggregating needs of it. */
export interface MatrixMetric extends BoardMetric {
  /** Computed from predictions: own cells are fitted. Costs count as they are. */
  readonly isScore: boolean;
  /** Of its values; default: everything. */
  readonly range?: readonly [low: number, high: number];
}

/** Every cell of a board as columns, with the task's own way of weighing them. The API and the browser rank from it with the same code. */
export interface BoardMatrix {
  /** Of the models. */
  readonly ids: readonly string[];
  readonly metrics: readonly MatrixMetric[];
  /** Name of the performance metric. */
  readonly performance: string;
  /** Those that score. */
  readonly datasets: readonly WeighedDataset[];
  readonly aggregate: AggregateSettings & { readonly ownRounds: OwnRounds };
  /** Of the task, by metric. */
  readonly weights: Readonly<Record<string, number>>;
  /** The exchange rates kept with the benchmark version; null while they are provisional. */
  readonly amrs: Readonly<Record<string, number>> | null;
  /** By cost, how far it differs between measurements of one model. */
  readonly spreads: Readonly<Record<string, number>>;
  /** By metric: models × datasets, row by row, in the metric's unit; NaN where missing. */
  readonly values: readonly Float64Array[];
  /** Standard errors, alike; NaN where unknown. Null: ranks alone are asked for. */
  readonly errors: readonly Float64Array[] | null;
  /** Models × datasets: 1 where the dataset was collected against the model. */
  readonly own: Uint8Array;
  /** Metrics × datasets: 1 where the metric is undefined on the dataset for all models; it is out of their means there. */
  readonly isUndefined: Uint8Array;
}

/** The board of a matrix under some dataset weights. */
export interface AggregatedMatrix {
  readonly board: Board;
  /** Models × metrics: 1 where a fitted cell went into the aggregate. */
  readonly estimated: Uint8Array;
  /** By metric: the fitted values of own cells, models × datasets, NaN elsewhere; null where nothing was fitted. */
  readonly fitted: readonly (Float64Array | null)[];
  /** Metrics that are undefined on every dataset that weighs. */
  readonly undefinedMetrics: ReadonlySet<string>;
  /** Standard errors of the aggregates in the metrics' units, models × metrics; NaN where unknown. */
  readonly standardErrors: Float64Array;
}

/**
 * Aggregates every metric of every model, as `aggregate` does one: x̄ = Σ w_d x_d / Σ w_d over the datasets that weigh and on which the metric
 * is defined. `weights` one a dataset.
 */
export function aggregateBoard(matrix: BoardMatrix, weights: Float64Array, ownRounds: OwnRounds): AggregatedMatrix {
  const size = matrix.ids.length * matrix.metrics.length;
  const sums = { values: new Float64Array(size), errors: new Float64Array(size), estimated: new Uint8Array(size) };
  const undefinedMetrics = new Set<string>();
  const isAdjusted = ownRounds === 'adjust' && matrix.own.includes(1);
  const fitted = matrix.metrics.map((metric, column) => {
    const active = definedWeights(matrix, weights, column);
    if (active.every((weight) => weight === 0)) undefinedMetrics.add(metric.name);
    const fit =
      isAdjusted && metric.isScore
        ? clipped(fitOwnCells(matrix.values[column]!, matrix.own, active), metric.range)
        : null;
    if (matrix.errors) aggregateColumn(matrix, column, active, fit, sums);
    else aggregateValues(matrix, column, active, fit, sums);
    return fit;
  });
  const board = boardOf(matrix, sums.values, sums.errors);
  return { board, estimated: sums.estimated, fitted, undefinedMetrics, standardErrors: sums.errors };
}

/** A sum of effects knows no bounds: nobody is right in more than all examples. */
const clipped = (values: Float64Array, [low, high]: readonly [number, number] = [-Infinity, Infinity]): Float64Array =>
  values.map((value) => Math.min(high, Math.max(low, value)));

function definedWeights({ isUndefined }: BoardMatrix, weights: Float64Array, column: number): Float64Array {
  return weights.map((weight, dataset) => (isUndefined[column * weights.length + dataset] === 1 ? 0 : weight));
}

interface Sums {
  readonly values: Float64Array;
  readonly errors: Float64Array;
  readonly estimated: Uint8Array;
}

/** One metric of all models where no errors are asked for: the same values, in a third of the time. */
function aggregateValues(
  matrix: BoardMatrix,
  column: number,
  weights: Float64Array,
  fit: Float64Array | null,
  into: Sums,
): void {
  const { own } = matrix;
  const width = matrix.metrics.length;
  const datasets = weights.length;
  const values = matrix.values[column]!;
  // a value that is missing stays missing, whatever could be fitted
  const cells = fit ? values.map((value, cell) => (own[cell] === 1 ? fit[cell]! + 0 * value : value)) : values;
  const aggregates = aggregateMatrix(cells, weights);
  for (let model = 0; model < aggregates.length; model++) {
    into.values[model * width + column] = aggregates[model]!;
    into.errors[model * width + column] = NaN;
  }
  if (!fit) return;
  for (let cell = 0; cell < own.length; cell++) {
    if (own[cell] === 1 && weights[cell % datasets]! > 0)
      into.estimated[Math.floor(cell / datasets) * width + column] = 1;
  }
}

/** One metric of all models; own cells take the fitted value, and no part in the error, as in `aggregate`. */
function aggregateColumn(
  matrix: BoardMatrix,
  column: number,
  weights: Float64Array,
  fit: Float64Array | null,
  into: Sums,
): void {
  const values = matrix.values[column]!;
  const errors = matrix.errors?.[column];
  const datasets = weights.length;
  for (let model = 0; model < matrix.ids.length; model++) {
    let sum = 0;
    let weighted = 0;
    let measured = 0;
    let variance = 0;
    let estimated = 0;
    for (let dataset = 0; dataset < datasets; dataset++) {
      const weight = weights[dataset]!;
      if (weight === 0) continue;
      const cell = model * datasets + dataset;
      const isFitted = fit !== null && matrix.own[cell] === 1;
      sum += weight;
      // a value that is missing stays missing, whatever could be fitted
      weighted += weight * (isFitted ? fit[cell]! + 0 * values[cell]! : values[cell]!);
      if (isFitted) {
        estimated = 1;
        continue;
      }
      measured += weight;
      variance += (weight * (errors?.[cell] ?? NaN)) ** 2;
    }
    const at = model * matrix.metrics.length + column;
    into.values[at] = weighted / sum;
    into.errors[at] = Math.sqrt(variance) / measured;
    into.estimated[at] = estimated;
  }
}

function boardOf(matrix: BoardMatrix, values: Float64Array, standardErrors: Float64Array): Board {
  const width = matrix.metrics.length;
  const utilities = new Float64Array(values.length);
  const errors = new Float64Array(values.length);
  for (const [column, metric] of matrix.metrics.entries()) {
    const rule = utilityRule(metric);
    for (let cell = column; cell < values.length; cell += width) {
      utilities[cell] = rule.utilityOf(values[cell]!);
      errors[cell] = rule.slopeAt(values[cell]!) * standardErrors[cell]!;
    }
  }
  const performance = matrix.metrics.findIndex(({ name }) => name === matrix.performance);
  return { ids: matrix.ids, metrics: matrix.metrics, performance, values, utilities, errors };
}

/** The 95% interval of an aggregate, clipped to the metric's range; null where its error is unknown. */
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
