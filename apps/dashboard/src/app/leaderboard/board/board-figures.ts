import type { Leaderboard } from '@assay/api-client/angular';
import { aggregateInterval, type MatrixFile, type RankableMatrix } from '@assay/scoring/board';
import { aggregateMarks, costMarks, boardCellMarks, type FigureMark, type MarkedModel } from '@assay/scoring/marks';
import type { FigureColumn } from './board-columns.js';
import type { EstimateValue } from '../../ui/charts/estimate.js';

const Z95 = 1.959963984540054;

/** The figure of a model in a column. */
export interface Figure {
  /** The value in the unit of the metric. */
  readonly value: number;
  /** The ends of the 95% interval. Null if there is none. */
  readonly low: number | null;
  readonly high: number | null;
  /** The number of examples that the figure is computed from. */
  readonly examples: number;
  /** The marks of the figure, such as contamination. */
  readonly marks: readonly FigureMark[];
}

/** The figures of a board under one choice of dataset weights. */
export class BoardFigures {
  private readonly weights: Float64Array;
  private readonly weighed: readonly number[];

  constructor(
    private readonly file: Pick<MatrixFile, 'clean' | 'contended' | 'rounded' | 'short'>,
    private readonly rankable: RankableMatrix,
  ) {
    this.weights = Float64Array.from(rankable.matrix.datasets, ({ name }) => rankable.datasetWeights[name] ?? 0);
    this.weighed = Array.from(this.weights.keys()).filter((dataset) => this.weights[dataset]! > 0);
  }

  /** The value of a model in a column, in the metric's unit. NaN if it has none. */
  value(column: FigureColumn, model: number): number {
    const { matrix, board } = this.rankable;
    if (column.type === 'metric') return board.values[model * matrix.metrics.length + column.place]!;
    const cell = this.cell(model, column.datasetPlace);
    return this.fittedValue(column, cell) ?? matrix.values[column.place]![cell]!;
  }

  /** The figure of a model in a column. Undefined if the model has no value there. */
  figure(column: FigureColumn, model: number): Figure | undefined {
    const value = this.value(column, model);
    if (Number.isNaN(value)) return undefined;
    const { low, high } = aggregateInterval(value, this.error(column, model), column.metric.range) ?? NO_INTERVAL;
    const datasets = column.type === 'metric' ? this.weighed : [column.datasetPlace];
    const { datasets: known } = this.rankable.matrix;
    return {
      ...{ value, low, high },
      examples: datasets.reduce((sum, dataset) => sum + known[dataset]!.examples, 0),
      marks: this.marks(column, model),
    };
  }

  private marks(column: FigureColumn, model: number): readonly FigureMark[] {
    const { name, isScore } = column.metric;
    if (!isScore) {
      const { contended, short } = this.file;
      return costMarks({ contended: contended?.[model]?.includes(name), short: short?.[model]?.includes(name) });
    }
    const marked = this.marked(model);
    const isRounded = (dataset: string): boolean => this.file.rounded?.includes(dataset) ?? false;
    if (column.type === 'cell') {
      const estimated = this.fittedValue(column, this.cell(model, column.datasetPlace)) !== null;
      return boardCellMarks(marked, column.dataset, { estimated, rounded: isRounded(column.dataset) });
    }
    const datasets = this.weighed.map((dataset) => this.rankable.matrix.datasets[dataset]!.name);
    return aggregateMarks(marked, datasets, {
      estimated: this.isEstimated(column, model),
      rounded: datasets.some(isRounded),
    });
  }

  private marked(model: number): MarkedModel {
    const { datasets, own } = this.rankable.matrix;
    const isOwn = (dataset: number): boolean => own[this.cell(model, dataset)] === 1;
    return {
      own: datasets.flatMap(({ name }, dataset) => (isOwn(dataset) ? [name] : [])),
      exposure: Object.fromEntries(
        datasets.map(({ name }, dataset) => [name, this.isExposed(model, dataset) ? 'exposed' : 'clean']),
      ),
    };
  }

  /**
   * The scale of the models' intervals in a column: from the lowest end to the highest, within the
   * range of the metric.
   */
  scale(column: FigureColumn): readonly [number, number] {
    let [lowest, highest] = [Infinity, -Infinity];
    for (let model = 0; model < this.rankable.matrix.ids.length; model++) {
      const value = this.value(column, model);
      if (Number.isNaN(value)) continue;
      const reach = Z95 * (this.error(column, model) || 0);
      lowest = Math.min(lowest, value - reach);
      highest = Math.max(highest, value + reach);
    }
    const [from, to] = column.metric.range ?? [-Infinity, Infinity];
    return [Math.max(from, lowest), Math.min(to, highest)];
  }

  /** True if no dataset with a weight was public before the model was submitted. */
  isClean(model: number): boolean {
    return this.weighed.every((dataset) => !this.isExposed(model, dataset));
  }

  private error(column: FigureColumn, model: number): number {
    const { matrix, aggregated } = this.rankable;
    if (column.type === 'metric') return aggregated.standardErrors[model * matrix.metrics.length + column.place]!;
    const cell = this.cell(model, column.datasetPlace);
    if (this.fittedValue(column, cell) !== null) return aggregated.fittedErrors[column.place]![cell]!;
    return matrix.errors?.[column.place]?.[cell] ?? NaN;
  }

  /** The fitted value of an own cell. Null if it has none, and on boards of the first rules. */
  private fittedValue({ place }: FigureColumn, cell: number): number | null {
    const { fitted, fittedErrors } = this.rankable.aggregated;
    const value = fittedErrors[place] ? (fitted[place]?.[cell] ?? NaN) : NaN;
    return Number.isNaN(value) ? null : value;
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

export type Reference = Leaderboard['references'][number];

/** Returns the figure of a reference in a column. Undefined if it has none. */
export function referenceFigure(reference: Reference, column: FigureColumn): EstimateValue | undefined {
  const figures = column.type === 'metric' ? reference.metrics : reference.datasets[column.dataset];
  return figures?.[column.metric.name];
}

/** Widens a scale so that it contains these figures with their intervals. */
export function widened(
  [lowest, highest]: readonly [number, number],
  figures: readonly EstimateValue[],
): readonly [number, number] {
  return [
    Math.min(lowest, ...figures.map(({ low, value }) => low ?? value)),
    Math.max(highest, ...figures.map(({ high, value }) => high ?? value)),
  ];
}
