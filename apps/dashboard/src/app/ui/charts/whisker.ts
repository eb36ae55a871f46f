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

/**
 * Returns the ends of the scale that the estimates of a column share: round steps around all
 * intervals. A share stays between 0 and 1 unless a value exceeds them.
 */
export function columnScale(estimates: readonly EstimateValue[]): readonly [number, number] {
  const ends = estimates.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  if (ends.length === 0) return [0, 1];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const step = roundStep((most - least || Math.abs(most) || 1) / 4);
  return [tidy(Math.floor(least / step + 1e-9) * step), tidy(Math.ceil(most / step - 1e-9) * step)];
}

/** Returns a scale for differences: like `columnScale`, but symmetric around 0. */
export function differenceScale(estimates: readonly EstimateValue[]): readonly [number, number] {
  const farthest = Math.max(
    0,
    ...estimates.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value].map(Math.abs)),
  );
  const step = roundStep((farthest || 1) / 2);
  const end = tidy(Math.ceil(farthest / step - 1e-9) * step) || step;
  return [-end, end];
}

/**
 * Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `size`.
 */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 5].find((factor) => factor * power >= size * (1 - 1e-9)) ?? 10);
}

const tidy = (value: number): number => Number(value.toPrecision(12));
