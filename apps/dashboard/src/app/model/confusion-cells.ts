import type { Confusion } from '../../client/types.gen.js';

export interface ConfusionCell {
  readonly answer: string;
  /** Examples; null: fewer than 10 of a dataset that is not public, which is not told. */
  readonly n: number | null;
  /** Of the examples of the row that are told, from 0 to 1. */
  readonly share: number;
  readonly isRight: boolean;
}

export interface ConfusionRow {
  readonly gold: string;
  readonly cells: readonly ConfusionCell[];
  /** Bad answers that the task tolerated; null as in a cell. */
  readonly bad: number | null;
}

/** A row for each gold label, a cell for each answered one. */
export function confusionCells({ labels, counts }: Pick<Confusion, 'labels' | 'counts'>): readonly ConfusionRow[] {
  return labels.map((gold, row) => {
    const numbers = counts[row] ?? [];
    const total = numbers.reduce<number>((sum, n) => sum + (n ?? 0), 0);
    const cells = labels.map((answer, column) => {
      const n = numbers[column] ?? null;
      return { answer, n, share: n === null || total === 0 ? 0 : n / total, isRight: row === column };
    });
    return { gold, cells, bad: numbers[labels.length] ?? null };
  });
}
