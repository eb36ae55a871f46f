import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Comparison, ComparisonMatrix } from '@assay/api-client/angular';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Numbers } from '../ui/index.js';
import { metricName } from '../ui/terms/terms.js';
import { matrixRows, matrixSentence, type PairCell } from './matrix-rows.js';

/** The pairwise differences of several models: how far the row is ahead of the column. */
@Component({
  selector: 'app-pair-matrix',
  imports: [RouterLink],
  templateUrl: './pair-matrix.html',
  styleUrl: './comparison.scss',
})
export class PairMatrix {
  readonly matrix = input.required<ComparisonMatrix>();
  /** The pair that is shown in detail below. */
  readonly shown = input<Comparison>();

  protected readonly numbers = inject(Numbers);
  protected readonly rows = computed(() => matrixRows(this.matrix()));
  protected readonly sentence = computed(() => matrixSentence(this.matrix()));
  protected readonly performance = computed(() => metricName(this.matrix().performance));

  protected isShown({ a, b }: PairCell): boolean {
    const shown = this.shown();
    return shown?.a.id === a && shown.b.id === b;
  }

  protected difference({ pair, sign }: PairCell): string {
    const difference = pair?.difference;
    if (!difference) return $localize`no dataset that ranks in common`;
    return this.numbers.signed(metricReading(this.matrix().performance).unit, sign * difference.value);
  }

  protected margin({ pair }: PairCell): string {
    return this.numbers.margin(metricReading(this.matrix().performance).unit, pair?.difference ?? {});
  }
}
