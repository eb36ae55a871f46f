import { aggregateInterval, type MatrixFile, type RankableMatrix } from '@assay/scoring';
import type { FigureColumn } from './board-columns.js';

const Z95 = 1.959963984540054;

/** A figure of a model in a column. */
export interface Figure {
  /** In the unit of the metric. */
  readonly value: number;
  /** Of its 95% interval; null: no interval is known. */
  readonly low: number | null;
  readonly high: number | null;
  /** How many examples it is of. */
  readonly examples: number;
  /** The dataset was collected against this very model. */
  readonly own: boolean;
  /** Some of it is fitted, as a dataset was collected against the model. */
  readonly estimated: boolean;
  /** Some of the data was public before the model was submitted. */
  readonly exposed: boolean;
}

/** Reads the figures of a board under one choice of datasets. */
export class BoardFigures {
  private readonly scales = new Map<string, readonly [number, number]>();
  private readonly weights: Float64Array;
  private readonly weighed: readonly number[];

  constructor(
    private readonly file: Pick<MatrixFile, 'clean'>,
    private readonly rankable: RankableMatrix,
  ) {
    this.weights = Float64Array.from(rankable.matrix.datasets, ({ name }) => rankable.datasetWeights[name] ?? 0);
    this.weighed = Array.from(this.weights.keys()).filter((dataset) => this.weights[dataset]! > 0);
  }

  /** The value of a model in a column, in the metric's unit; NaN where it has none. */
  value(column: FigureColumn, model: number): number {
    const { matrix, board } = this.rankable;
    if (column.type === 'metric') return board.values[model * matrix.metrics.length + column.place]!;
    return matrix.values[column.place]![this.cell(model, column.datasetPlace)]!;
  }

  /** Undefined where the model has no value there. */
  figure(column: FigureColumn, model: number): Figure | undefined {
    const value = this.value(column, model);
    if (Number.isNaN(value)) return undefined;
    const { low, high } = aggregateInterval(value, this.error(column, model), column.metric.range) ?? NO_INTERVAL;
    const datasets = column.type === 'metric' ? this.weighed : [column.datasetPlace];
    const { own, datasets: known } = this.rankable.matrix;
    return {
      ...{ value, low, high },
      examples: datasets.reduce((sum, dataset) => sum + known[dataset]!.examples, 0),
      own: column.type === 'cell' && column.metric.isScore && own[this.cell(model, column.datasetPlace)] === 1,
      estimated: column.type === 'metric' && this.isEstimated(column, model),
      exposed: column.metric.isScore && datasets.some((dataset) => this.isExposed(model, dataset)),
    };
  }

  /** From the lowest to the highest end of all intervals of a column, so that all of its whiskers share it. */
  scale(column: FigureColumn): readonly [number, number] {
    const known = this.scales.get(column.id);
    if (known) return known;

    let [lowest, highest] = [Infinity, -Infinity];
    for (let model = 0; model < this.rankable.matrix.ids.length; model++) {
      const value = this.value(column, model);
      if (Number.isNaN(value)) continue;
      const reach = Z95 * (this.error(column, model) || 0);
      lowest = Math.min(lowest, value - reach);
      highest = Math.max(highest, value + reach);
    }
    const [from, to] = column.metric.range ?? [-Infinity, Infinity];
    const scale = [Math.max(from, lowest), Math.min(to, highest)] as const;
    this.scales.set(column.id, scale);
    return scale;
  }

  /** Whether all data that weighs came out after the model. */
  isClean(model: number): boolean {
    return this.weighed.every((dataset) => !this.isExposed(model, dataset));
  }

  private error(column: FigureColumn, model: number): number {
    const { matrix, aggregated } = this.rankable;
    if (column.type === 'metric') return aggregated.standardErrors[model * matrix.metrics.length + column.place]!;
    return matrix.errors?.[column.place]?.[this.cell(model, column.datasetPlace)] ?? NaN;
  }

  private isEstimated({ place }: FigureColumn, model: number): boolean {
    const { matrix, aggregated } = this.rankable;
    return aggregated.estimated[model * matrix.metrics.length + place] === 1;
  }

  private isExposed(model: number, dataset: number): boolean {
    return this.file.clean[this.cell(model, dataset)] !== 1;
  }

  private cell(model: number, dataset: number): number {
    return model * this.weights.length + dataset;
  }
}

const NO_INTERVAL = { low: null, high: null } as const;
