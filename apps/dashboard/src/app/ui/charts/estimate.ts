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
  protected readonly margin = computed(() => this.numbers.margin(this.unit(), this.of()));
  protected readonly title = computed(() => {
    const [interval, count] = [this.numbers.interval(this.unit(), this.of()), this.count()];
    return interval === '' || count === undefined
      ? interval
      : $localize`${interval}:interval:, ${this.numbers.count(count)}:count: examples`;
  });
}
