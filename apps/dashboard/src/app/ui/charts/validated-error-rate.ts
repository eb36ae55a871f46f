import { Component, inject, input } from '@angular/core';
import type { ValidatedErrorRate as Rate } from '@assay/api-client/angular';
import { Numbers } from '../text/numbers.js';
import { Estimate } from './estimate.js';

/**
 * Shows a validated model error rate in percent. While examples are pending it is a lower bound:
 * `at least 25.0 ± 8.1 · 40 pending`. Shows nothing if the rate is not known.
 */
@Component({
  selector: 'app-validated-error-rate',
  imports: [Estimate],
  template: `
    @if (of(); as rate) {
      @if (rate.value !== null) {
        @if (rate.pending > 0) {
          <span class="muted small" i18n>at least</span>&ngsp;
        }
        <app-estimate [of]="{ value: rate.value, low: rate.low, high: rate.high }" [count]="rate.denominator" />
        @if (rate.pending > 0) {
          &ngsp;<span class="muted small" i18n>· {{ numbers.count(rate.pending) }} pending</span>
        }
      }
    }
  `,
})
export class ValidatedErrorRate {
  readonly of = input.required<Rate | undefined>();

  protected readonly numbers = inject(Numbers);
}
