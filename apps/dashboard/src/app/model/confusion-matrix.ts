import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Confusion } from '@assay/api-client/angular';
import { Numbers } from '../ui/index.js';

/**
 * The confusion matrix, by gold and predicted label. The larger a cell's share of its row, the
 * darker the cell.
 */
@Component({
  selector: 'app-confusion-matrix',
  imports: [RouterLink],
  templateUrl: './confusion-matrix.html',
  styleUrl: './confusion-matrix.scss',
})
export class ConfusionMatrix {
  readonly confusion = input.required<Confusion>();
  /** True if the user may read the examples behind a cell. The cell then links to them. */
  readonly isReadable = input.required<boolean>();

  protected readonly numbers = inject(Numbers);
  protected readonly rows = computed(() => confusionCells(this.confusion()));
  protected readonly hasBad = computed(() => this.rows().some(({ bad }) => bad !== 0));

  protected explain(gold: string, { answer, n, share }: ConfusionCell): string {
    if (n === null) return $localize`${gold}:gold: answered ${answer}:answer:: fewer than 10`;
    const percent = this.numbers.percent(share);
    return $localize`${gold}:gold: answered ${answer}:answer:: ${this.numbers.count(n)}:count:, ${percent}:share:% of the row`;
  }
}

interface ConfusionCell {
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

interface ConfusionRow {
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
