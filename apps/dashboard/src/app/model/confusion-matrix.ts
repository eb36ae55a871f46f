import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Confusion } from '@assay/api-client/angular';
import { Numbers } from '../ui/index.js';
import { confusionCells, type ConfusionCell } from './confusion-cells.js';

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
