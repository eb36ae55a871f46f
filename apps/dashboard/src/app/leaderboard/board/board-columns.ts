import type { BoardMatrix, MatrixMetric } from '@assay/scoring/board';

/** The columns with properties of a model that are not figures of a metric. */
export const FACTS = ['loop', 'kind', 'size', 'accepted'] as const;
export type Fact = (typeof FACTS)[number] | 'against';

/** A column that a reader can show. Its ID in the URL: `accuracy`, `accuracy@round-1`, `size`. */
export type Column =
  | { readonly type: 'metric'; readonly id: string; readonly metric: MatrixMetric; readonly place: number }
  | {
      readonly type: 'cell';
      readonly id: string;
      readonly metric: MatrixMetric;
      readonly place: number;
      readonly dataset: string;
      /** The index of the dataset in the matrix. */
      readonly datasetPlace: number;
    }
  | { readonly type: 'fact'; readonly id: Fact };

/** The difference from another model, or from the previous benchmark version. Shown if the reader chose one. */
export const AGAINST_COLUMN = { type: 'fact', id: 'against' } as const satisfies Column;

export type FigureColumn = Exclude<Column, { readonly type: 'fact' }>;

/** Returns all columns of a board: means over datasets, facts, then the scores on each dataset. */
export function allColumns(matrix: BoardMatrix): readonly Column[] {
  const metrics = matrix.metrics.map((metric, place) => ({ type: 'metric', id: metric.name, metric, place }) as const);
  const facts = FACTS.map((id) => ({ type: 'fact', id }) as const);
  const cells = matrix.datasets.flatMap(({ name }, datasetPlace) =>
    matrix.metrics.flatMap((metric, place) => {
      if (!metric.isScore) return [];
      return [{ type: 'cell', id: `${metric.name}@${name}`, metric, place, dataset: name, datasetPlace } as const];
    }),
  );
  return [...metrics, ...facts, ...cells];
}

/**
 * Returns the IDs of the default columns: the performance metric, all metrics with a weight, and
 * whether the model is a target model.
 */
export function usualColumns(matrix: BoardMatrix, weights: Readonly<Record<string, number>>): readonly string[] {
  const weighs = ({ name }: MatrixMetric): boolean => (weights[name] ?? 0) > 0 || (matrix.weights[name] ?? 0) > 0;
  const isPerformance = ({ name }: MatrixMetric): boolean => name === matrix.performance;
  const metrics = [
    ...matrix.metrics.filter(isPerformance),
    ...matrix.metrics.filter((metric) => !isPerformance(metric) && weighs(metric)),
  ];
  return [...metrics.map(({ name }) => name), 'loop'];
}

/** Returns the columns with these IDs, in their order. Skips IDs that the board does not have. */
export function columnsOf(all: readonly Column[], ids: readonly string[]): readonly Column[] {
  const byId = new Map(all.map((column) => [column.id, column]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Returns whether the first click on a column sorts it in descending order, so that better, larger
 * or newer values come first.
 */
export function startsDescending(column: Column): boolean {
  if (column.type === 'fact') return column.id !== 'kind';
  return column.metric.direction === 'higher';
}
