import { Component, computed, inject, input } from '@angular/core';
import { noIntervalText, type NoIntervalReason } from '../text/no-interval.js';
import { Numbers } from '../text/numbers.js';

/** A value with its 95% confidence interval, if it has one. Ratios range from 0 to 1. */
export interface EstimateValue {
  readonly value: number;
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
  /** The reason why there is no interval. */
  readonly why?: NoIntervalReason | undefined;
  /** The band of a perfectly calibrated model. */
  readonly band?: { readonly low: number; readonly high: number } | undefined;
}

/**
 * Shows an estimate as `57.0 ± 1.7`, with the full interval on hover. Without an interval it shows
 * the reason, or the band of a calibrated model. The unit belongs in the column header.
 */
@Component({
  selector: 'app-estimate',
  template: `
    <span class="numbers" [title]="title()"
      >{{ shown() }}
      @if (margin(); as margin) {
        <span class="margin"> ± {{ margin }}</span>
      } @else if (note(); as note) {
        <span class="margin"> ({{ note }})</span>
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
  protected readonly note = computed(() => {
    const { why, band } = this.of();
    if (!band) return why === undefined ? '' : noIntervalText(why);
    const [low, high] = [this.numbers.value(this.unit(), band.low), this.numbers.value(this.unit(), band.high)];
    return $localize`calibrated: ${low}:low: to ${high}:high:`;
  });
  protected readonly title = computed(() => {
    const [interval, count] = [this.numbers.interval(this.unit(), this.of()), this.count()];
    return interval === '' || count === undefined
      ? interval
      : $localize`${interval}:interval:, ${this.numbers.count(count)}:count: examples`;
  });
}
