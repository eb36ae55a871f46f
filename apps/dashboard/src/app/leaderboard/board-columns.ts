import type { BoardMatrix, MatrixMetric } from '@assay/scoring';

/** What is known of a model beside its figures. */
export const FACTS = ['loop', 'first', 'kind', 'size', 'accepted'] as const;
export type Fact = (typeof FACTS)[number];

/** A column that a reader can have. Its id stands in the address: `accuracy`, `accuracy@round-1`, `size`. */
export type Column =
  | { readonly type: 'metric'; readonly id: string; readonly metric: MatrixMetric; readonly place: number }
  | {
      readonly type: 'cell';
      readonly id: string;
      readonly metric: MatrixMetric;
      readonly place: number;
      readonly dataset: string;
      /** Its place among the datasets. */
      readonly datasetPlace: number;
    }
  | { readonly type: 'fact'; readonly id: Fact };

export type FigureColumn = Exclude<Column, { readonly type: 'fact' }>;

/** All columns that a board can have: means over the datasets, facts, then what was measured on each dataset. */
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

/** The performance, whatever weighs, and who is in the loop: what a board shows by itself. */
export function usualColumns(matrix: BoardMatrix, weights: Readonly<Record<string, number>>): readonly string[] {
  const weighs = ({ name }: MatrixMetric): boolean => (weights[name] ?? 0) > 0 || (matrix.weights[name] ?? 0) > 0;
  const isPerformance = ({ name }: MatrixMetric): boolean => name === matrix.performance;
  const metrics = [
    ...matrix.metrics.filter(isPerformance),
    ...matrix.metrics.filter((metric) => !isPerformance(metric) && weighs(metric)),
  ];
  return [...metrics.map(({ name }) => name), 'loop'];
}

/** The columns of these ids, in their order; ids that the board has not are passed over. */
export function columnsOf(all: readonly Column[], ids: readonly string[]): readonly Column[] {
  const byId = new Map(all.map((column) => [column.id, column]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Whether a column is first sorted downwards: the better, larger or newer above. */
export function startsDescending(column: Column): boolean {
  if (column.type === 'fact') return column.id !== 'kind';
  return column.metric.direction === 'higher';
}
