import { Component, computed, input } from '@angular/core';
import type { EstimateValue } from './estimate.js';

/**
 * Plots an estimate as a dot with its interval, on the scale shared by its column. Does not show
 * the number.
 */
@Component({
  selector: 'app-whisker',
  template: `
    <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <line class="scale" x1="0" x2="100" y1="6" y2="6" />
      @if (interval(); as at) {
        <line class="interval" [attr.x1]="at.low" [attr.x2]="at.high" y1="6" y2="6" />
      }
    </svg>
    <i [style.inset-inline-start.%]="dot()"></i>
  `,
  styles: `
    :host {
      position: relative;
      display: block;
      width: 100%;
      min-width: 48px;
      height: 12px;
    }

    svg {
      position: absolute;
      inset: 0;
      width: 100%;
      height: 100%;
    }

    line {
      vector-effect: non-scaling-stroke;
    }

    .scale {
      stroke: var(--line);
      stroke-width: 1px;
    }

    .interval {
      stroke: var(--accent);
      stroke-width: 2px;
    }

    i {
      position: absolute;
      top: 2px;
      width: 8px;
      height: 8px;
      margin-inline-start: -4px;
      border-radius: 50%;
      background: var(--accent);
    }
  `,
})
export class Whisker {
  readonly of = input.required<EstimateValue>();
  /** The ends of the column's scale, in the unit of the estimate. */
  readonly scale = input.required<readonly [number, number]>();

  protected readonly dot = computed(() => this.place(this.of().value));
  protected readonly interval = computed(() => {
    const { low, high } = this.of();
    return low == null || high == null ? undefined : { low: this.place(low), high: this.place(high) };
  });

  private place(value: number): number {
    const [from, to] = this.scale();
    return to > from ? Math.min(100, Math.max(0, ((value - from) / (to - from)) * 100)) : 50;
  }
}
