import { type BoardMatrix, type MatrixFile, RankableMatrix } from '@assay/scoring/board';

/** The weights by metric, the aggregation over datasets, and the exchange rates of costs. */
export interface Weighing {
  /** Weights by metric name. A missing metric has weight 0. */
  readonly weights: Readonly<Record<string, number>>;
  readonly aggregate: BoardMatrix['aggregate'];
  /** By cost of the board, its exchange rate in points per doubling. Empty where rates are not fixed. */
  readonly rates: Readonly<Record<string, number>>;
}

export interface PreviewRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The rank, from 1. Null if the model is below the baseline, or lacks a metric with a positive weight. */
  readonly before: number | null;
  readonly after: number | null;
  readonly dynascore: number | null;
}

export interface BoardPreview {
  /** Sorted by the new rank; rows without one come last. */
  readonly rows: readonly PreviewRow[];
  /** The number of models whose rank changes. */
  readonly moved: number;
  /** The share of each dataset in every figure. The shares sum to 1. */
  readonly datasets: readonly { readonly name: string; readonly before: number; readonly after: number }[];
}

/** Returns the weighing that is in force. */
export const standingWeighing = ({ matrix }: MatrixFile): Weighing => ({
  weights: matrix.weights,
  aggregate: matrix.aggregate,
  rates: matrix.exchange?.kind === 'fixed' ? ratesOf(matrix, matrix.exchange.rates) : {},
});

const ratesOf = ({ metrics }: BoardMatrix, rates: Weighing['rates']): Weighing['rates'] =>
  Object.fromEntries(metrics.flatMap(({ name }) => (rates[name] === undefined ? [] : [[name, rates[name]]])));

/**
 * Ranks the board by the current weighing and by another one, as the API does.
 * @throws DomainError if nothing can be ranked by these weights.
 */
export function previewBoard(file: MatrixFile, weighing: Weighing): BoardPreview {
  const before = ranked(file.matrix, standingWeighing(file));
  const after = ranked(file.matrix, weighing);
  const rows = file.matrix.ids.map((id, model) => ({
    id,
    name: file.names[model]!,
    owner: file.owners[model]!,
    before: before.ranks.get(id)?.rank ?? null,
    after: after.ranks.get(id)?.rank ?? null,
    dynascore: after.ranks.get(id)?.dynascore ?? null,
  }));
  return {
    rows: rows.sort(
      (one, other) =>
        (one.after ?? Infinity) - (other.after ?? Infinity) ||
        (other.dynascore ?? -Infinity) - (one.dynascore ?? -Infinity) ||
        0,
    ),
    moved: rows.filter((row) => row.before !== row.after).length,
    datasets: file.matrix.datasets.map(({ name }) => ({
      name,
      before: before.datasets[name]!,
      after: after.datasets[name]!,
    })),
  };
}

function ranked(matrix: BoardMatrix, weighing: Weighing) {
  const { weights, aggregate } = weighing;
  const fixed = matrix.exchange?.kind === 'fixed' && { exchange: { ...matrix.exchange, rates: weighing.rates } };
  const rankable = new RankableMatrix({ ...matrix, aggregate, ...fixed }, { datasets: {} });
  // names the metrics of weight 0 as well: a missing name would take the task's weight
  const all = Object.fromEntries(matrix.metrics.map(({ name }) => [name, weights[name] ?? 0]));
  const { ranking, below } = rankable.rank({ weights: all, amrs: 'official' });
  const placed = ({ order, rank, dynascore }: typeof ranking, hasRank: boolean) =>
    Array.from(
      order,
      (row, place) =>
        [matrix.ids[row]!, { rank: hasRank ? rank[place]! : null, dynascore: dynascore[place]! }] as const,
    );
  const ranks = new Map([...placed(ranking, true), ...(below ? placed(below, false) : [])]);
  return { ranks, datasets: rankable.datasetWeights };
}
