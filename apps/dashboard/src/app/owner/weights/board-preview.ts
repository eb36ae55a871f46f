import { type BoardMatrix, type MatrixFile, RankableMatrix } from '@assay/scoring';

/** How a task weighs: metrics, and datasets. */
export interface Weighing {
  /** By metric; what is not named weighs nothing. */
  readonly weights: Readonly<Record<string, number>>;
  readonly aggregate: BoardMatrix['aggregate'];
}

export interface PreviewRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** From 1; null: it lacks a metric that weighs. */
  readonly before: number | null;
  readonly after: number | null;
  readonly dynascore: number | null;
}

export interface BoardPreview {
  /** By the new rank; those without one come last. */
  readonly rows: readonly PreviewRow[];
  /** Models whose rank changes. */
  readonly moved: number;
  /** By dataset, its share of every figure; the shares sum to 1. */
  readonly datasets: readonly { readonly name: string; readonly before: number; readonly after: number }[];
}

/** The task's own weighing, as the board has it now. */
export const standingWeighing = ({ matrix }: MatrixFile): Weighing => ({
  weights: matrix.weights,
  aggregate: matrix.aggregate,
});

/**
 * The board by the task's weighing and by another, with the exchange rates that are kept, as the API ranks it. Throws a `DomainError` where
 * nothing can be ranked so.
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
  // what weighs nothing now is named, or it would keep the task's weight
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
