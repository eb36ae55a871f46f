import { type BoardMatrix, type MatrixFile, RankableMatrix } from '@assay/scoring/board';

/** The weights by metric, and the aggregation over datasets. */
export interface Weighing {
  /** Weights by metric name. A missing metric has weight 0. */
  readonly weights: Readonly<Record<string, number>>;
  readonly aggregate: BoardMatrix['aggregate'];
}

export interface PreviewRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The rank, from 1. Null if the model lacks a metric with a positive weight. */
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

/** Returns the weights and the aggregation that are in force. */
export const standingWeighing = ({ matrix }: MatrixFile): Weighing => ({
  weights: matrix.weights,
  aggregate: matrix.aggregate,
});

/**
 * Ranks the board by the current weights and by others, at the stored exchange rates, as the API
 * does.
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
    rows: rows.sort((one, other) => (one.after ?? Infinity) - (other.after ?? Infinity) || 0),
    moved: rows.filter((row) => row.before !== row.after).length,
    datasets: file.matrix.datasets.map(({ name }) => ({
      name,
      before: before.datasets[name]!,
      after: after.datasets[name]!,
    })),
  };
}

function ranked(matrix: BoardMatrix, { weights, aggregate }: Weighing) {
  const rankable = new RankableMatrix({ ...matrix, aggregate }, { datasets: {} });
  // names the metrics of weight 0 as well: a missing name would take the task's weight
  const all = Object.fromEntries(matrix.metrics.map(({ name }) => [name, weights[name] ?? 0]));
  const { ranking } = rankable.rank({ weights: all, amrs: 'official' });
  const ranks = new Map(
    Array.from(ranking.order, (row, place) => [
      matrix.ids[row]!,
      { rank: ranking.rank[place]!, dynascore: ranking.dynascore[place]! },
    ]),
  );
  return { ranks, datasets: rankable.datasetWeights };
}
