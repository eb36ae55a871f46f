import type { Confusion } from '@assay/api-client/angular';

export interface ConfusionCell {
  readonly answer: string;
  /**
   * The number of examples. Null if the API withholds it: fewer than 10, in a dataset that is not
   * public.
   */
  readonly n: number | null;
  /** The share of the row's disclosed examples, from 0 to 1. */
  readonly share: number;
  readonly isRight: boolean;
}

export interface ConfusionRow {
  readonly gold: string;
  readonly cells: readonly ConfusionCell[];
  /** Invalid answers that the task tolerated; null as in a cell. */
  readonly bad: number | null;
}

/** Returns a row for each gold label, with a cell for each predicted label. */
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
