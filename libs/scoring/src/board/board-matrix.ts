import { aggregateError, aggregateMatrix } from './aggregation.js';
import type { Board } from './board.js';
import { fitOwnCells } from './own-cells.js';
import type { AggregateSettings, WeighedDataset } from './dataset-weights.js';
import type { Exchange } from './exchange.js';
import { utilityRule, type BoardMetric } from './utility.js';

/**
 * The treatment of cells on datasets that were collected against the model: fitted from the model's
 * other cells (`adjust`) or used as they are (`count`).
 */
export type OwnRounds = 'adjust' | 'count';

/** A column of a board with the facts that aggregation needs. */
export interface MatrixMetric extends BoardMetric {
  /**
   * True if the metric is computed from predictions, so that own cells are fitted. Costs are used
   * as they are.
   */
  readonly isScore: boolean;
  /** The range of its values. Default: unbounded. */
  readonly range?: readonly [low: number, high: number];
}

/** The performance that a model must exceed to be ranked. */
export interface Baselines {
  /**
   * Per baseline (the reference rows majority and random, or a named model) its performance on each
   * dataset; null if it is unknown.
   */
  readonly rows: readonly (readonly (number | null)[])[];
  /**
   * Models × datasets: 1 if the model was submitted before any of the data was public. Where a model
   * has such cells, they alone decide.
   */
  readonly clean: Uint8Array;
}

/**
 * All cells of a board as columns, with the task's weights. The API and the browser rank from it
 * with the same code.
 */
export interface BoardMatrix {
  /** The IDs of the models. */
  readonly ids: readonly string[];
  readonly metrics: readonly MatrixMetric[];
  /** Name of the performance metric. */
  readonly performance: string;
  /** The scoring datasets. */
  readonly datasets: readonly WeighedDataset[];
  readonly aggregate: AggregateSettings & { readonly ownRounds: OwnRounds };
  /** The task's weight per metric. */
  readonly weights: Readonly<Record<string, number>>;
  /**
   * The conversion of costs into points. Absent on boards of schema 1, whose official rates are
   * `amrs`.
   */
  readonly exchange?: Exchange;
  /**
   * The performance that a model must exceed to be ranked at fixed rates. Absent if none is known, and
   * on boards from before there was a baseline.
   */
  readonly baselines?: Baselines;
  /**
   * The rules of schema 2: with 2, the error that a fit leaves in own cells counts. Absent for the
   * first rules, and in schema 1.
   */
  readonly rules?: 2;
  /**
   * Schema 1: the exchange rates stored with the benchmark version; null while they are
   * provisional.
   */
  readonly amrs: Readonly<Record<string, number>> | null;
  /** Per cost, its spread between measurements of one model. */
  readonly spreads: Readonly<Record<string, number>>;
  /** Per metric: models × datasets, row by row, in the metric's unit; NaN if missing. */
  readonly values: readonly Float64Array[];
  /** Standard errors in the same shape; NaN if unknown. Null if only ranks are requested. */
  readonly errors: readonly Float64Array[] | null;
  /** Models × datasets: 1 if the dataset was collected against the model. */
  readonly own: Uint8Array;
  /**
   * Metrics × datasets: 1 if the metric is undefined on the dataset for all models. The dataset is
   * then left out of that metric's means.
   */
  readonly isUndefined: Uint8Array;
}

/** The board of a matrix for given dataset weights. */
export interface AggregatedMatrix {
  readonly board: Board;
  /** Models × metrics: 1 if a fitted cell is part of the aggregate. */
  readonly estimated: Uint8Array;
  /**
   * Per metric: the fitted values of own cells, models × datasets, NaN elsewhere; null if nothing
   * was fitted.
   */
  readonly fitted: readonly (Float64Array | null)[];
  /**
   * Per metric: the standard errors that the fit leaves in those values, in the same shape; NaN if
   * unknown. Null if nothing was fitted, and if the rules leave these errors out.
   */
  readonly fitErrors: readonly (Float64Array | null)[];
  /**
   * The same together with the standard error of the model's other cells, with which a fitted value
   * moves.
   */
  readonly fittedErrors: readonly (Float64Array | null)[];
  /** Metrics that are undefined on every dataset of non-zero weight. */
  readonly undefinedMetrics: ReadonlySet<string>;
  /** Standard errors of the aggregates in the metrics' units, models × metrics; NaN if unknown. */
  readonly standardErrors: Float64Array;
}

/**
 * Aggregates every metric of every model, as `aggregate` does for one: x̄ = Σ w_d x_d / Σ w_d over
 * the datasets of non-zero weight on which the metric is defined.
 *
 * @param weights one per dataset
 */
export function aggregateBoard(matrix: BoardMatrix, weights: Float64Array, ownRounds: OwnRounds): AggregatedMatrix {
  const size = matrix.ids.length * matrix.metrics.length;
  const sums = { values: new Float64Array(size), errors: new Float64Array(size), estimated: new Uint8Array(size) };
  const undefinedMetrics = new Set<string>();
  const isAdjusted = ownRounds === 'adjust' && matrix.own.includes(1);
  const fits = matrix.metrics.map((metric, column): ColumnFit | null => {
    const active = definedWeights(matrix, weights, column);
    if (active.every((weight) => weight === 0)) undefinedMetrics.add(metric.name);
    const fit = isAdjusted && metric.isScore ? fitColumn(matrix, column, active) : null;
    if (matrix.errors) aggregateColumn(matrix, column, active, fit, sums);
    else aggregateValues(matrix, column, active, fit?.values ?? null, sums);
    return fit;
  });
  const fitted = fits.map((fit) => fit?.values ?? null);
  const fitErrors = fits.map((fit) => fit?.errors ?? null);
  const fittedErrors = fits.map((fit) => fit?.totals ?? null);
  const board = boardOf(matrix, matrix.metrics, { values: sums.values, standardErrors: sums.errors });
  const { estimated, errors: standardErrors } = sums;
  return { board, estimated, fitted, fitErrors, fittedErrors, undefinedMetrics, standardErrors };
}

/** The fitted own cells of a column. The errors are null if the rules of the board leave them out. */
interface ColumnFit {
  readonly values: Float64Array;
  readonly errors: Float64Array | null;
  /** Filled while the column is aggregated. */
  readonly totals: Float64Array | null;
}

function fitColumn({ values, own, metrics, rules }: BoardMatrix, column: number, weights: Float64Array): ColumnFit {
  const fit = fitOwnCells(values[column]!, own, weights);
  const ofFit = { values: clipped(fit.values, metrics[column]!.range) };
  if (rules !== 2) return { ...ofFit, errors: null, totals: null };
  return { ...ofFit, errors: fit.errors(), totals: new Float64Array(own.length).fill(NaN) };
}

/** Clips fitted values to the metric's range, because a sum of effects may exceed it. */
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

/**
 * Aggregates one metric of all models without errors. The values are the same as with errors and
 * take a third of the time.
 */
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
  // a missing value stays missing, even if it could be fitted
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

/**
 * Aggregates one metric of all models. Own cells use the fitted value and the error of the fit, as in
 * `aggregate`.
 */
function aggregateColumn(
  matrix: BoardMatrix,
  column: number,
  weights: Float64Array,
  fit: ColumnFit | null,
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
    let ofFit = 0;
    let estimated = 0;
    for (let dataset = 0; dataset < datasets; dataset++) {
      const weight = weights[dataset]!;
      if (weight === 0) continue;
      const cell = model * datasets + dataset;
      const isFitted = fit !== null && matrix.own[cell] === 1;
      sum += weight;
      // a missing value stays missing, even if it could be fitted
      weighted += weight * (isFitted ? fit.values[cell]! + 0 * values[cell]! : values[cell]!);
      if (isFitted) {
        estimated = 1;
        if (fit.errors) ofFit += (weight * fit.errors[cell]!) ** 2;
        continue;
      }
      measured += weight;
      variance += (weight * (errors?.[cell] ?? NaN)) ** 2;
    }
    const at = model * matrix.metrics.length + column;
    into.values[at] = weighted / sum;
    into.errors[at] = aggregateError({ variance, measured, ofFit, sum });
    into.estimated[at] = estimated;
    if (!fit?.errors || !fit.totals || estimated === 0) continue;
    for (let cell = model * datasets; cell < (model + 1) * datasets; cell++) {
      fit.totals[cell] = Math.hypot(fit.errors[cell]!, Math.sqrt(variance) / measured);
    }
  }
}

/**
 * Returns the board of aggregated values, in the metrics' units.
 *
 * @param metrics the columns of the matrix, with the rules for their utilities
 */
export function boardOf(
  { ids, performance: name }: Pick<BoardMatrix, 'ids' | 'performance'>,
  metrics: readonly BoardMetric[],
  { values, standardErrors }: { readonly values: Float64Array; readonly standardErrors: Float64Array },
): Board {
  const width = metrics.length;
  const utilities = new Float64Array(values.length);
  const errors = new Float64Array(values.length);
  for (const [column, metric] of metrics.entries()) {
    const rule = utilityRule(metric);
    for (let cell = column; cell < values.length; cell += width) {
      utilities[cell] = rule.utilityOf(values[cell]!);
      errors[cell] = rule.slopeAt(values[cell]!) * standardErrors[cell]!;
    }
  }
  const performance = metrics.findIndex((metric) => metric.name === name);
  return { ids, metrics, performance, values, utilities, errors };
}
