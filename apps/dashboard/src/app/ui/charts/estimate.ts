import { Component, computed, inject, input } from '@angular/core';
import { Numbers } from '../text/numbers.js';

/** A value with its 95% confidence interval, if it has one. Ratios range from 0 to 1. */
export interface EstimateValue {
  readonly value: number;
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
}

/**
 * Shows an estimate as `57.0 ± 1.7`, with the full interval on hover. The unit belongs in the
 * column header.
 */
@Component({
  selector: 'app-estimate',
  template: `
    <span class="numbers" [title]="title()"
      >{{ shown() }}
      @if (margin(); as margin) {
        <span class="margin"> ± {{ margin }}</span>
      }
    </span>
  `,
  styles: `
    span {
      white-space: nowrap;
    }

    .margin {
      color: var(--muted);
    }
  `,
})
export class Estimate {
  readonly of = input.required<EstimateValue>();
  /** The unit as the API names it: `ratio`, `ms`, … */
  readonly unit = input('ratio');
  /** The number of examples behind the estimate. */
  readonly count = input<number>();

  private readonly numbers = inject(Numbers);
  protected readonly shown = computed(() => this.numbers.value(this.unit(), this.of().value));
  protected readonly margin = computed(() => {
    const { low, high } = this.of();
    return low == null || high == null ? undefined : this.numbers.margin(this.unit(), low, high);
  });
  protected readonly title = computed(() => {
    const { low, high } = this.of();
    const count = this.count();
    if (low == null || high == null) return '';
    const [from, to] = [this.numbers.value(this.unit(), low), this.numbers.value(this.unit(), high)];
    const interval = $localize`95% interval ${from}:low: to ${to}:high:`;
    return count === undefined
      ? interval
      : $localize`${interval}:interval:, ${this.numbers.count(count)}:count: examples`;
  });
}
