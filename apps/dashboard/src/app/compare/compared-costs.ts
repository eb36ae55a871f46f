import { Component, computed, inject, input } from '@angular/core';
import type { Comparison } from '@assay/api-client/angular';
import { MetricHeading } from '../ui/metrics/metric-heading.js';
import { Numbers } from '../ui/index.js';

/** The costs of two models, side by side. */
@Component({
  selector: 'app-compared-costs',
  imports: [MetricHeading],
  template: `
    @if (costs().length > 0) {
      <section class="stack" aria-labelledby="costs">
        <h2 id="costs" i18n>What they cost</h2>
        @if (!comparison().costs.comparable) {
          <p class="muted" i18n>
            They were measured on different hardware, or one was not measured: a difference would say nothing.
          </p>
        }
        <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Costs of both">
          <table class="data">
            <thead>
              <tr>
                <th scope="col" i18n>Cost</th>
                <th scope="col" class="number">{{ comparison().a.name }}</th>
                <th scope="col" class="number">{{ comparison().b.name }}</th>
                <th scope="col" class="number" i18n>difference</th>
              </tr>
            </thead>
            <tbody>
              @for (cost of costs(); track cost.name) {
                <tr>
                  <th scope="row"><app-metric-heading [name]="cost.name" /></th>
                  <td class="number">{{ shown(cost.unit, cost.a) }}</td>
                  <td class="number">{{ shown(cost.unit, cost.b) }}</td>
                  <td class="number">
                    {{ cost.difference === null ? '·' : numbers.signed(cost.unit, cost.difference) }}
                  </td>
                </tr>
              }
            </tbody>
          </table>
        </div>
      </section>
    }
  `,
})
export class ComparedCosts {
  readonly comparison = input.required<Comparison>();

  protected readonly numbers = inject(Numbers);
  protected readonly costs = computed(() =>
    Object.entries(this.comparison().costs.metrics)
      .map(([name, cost]) => ({ name, ...cost }))
      .filter(({ a, b }) => a !== null || b !== null),
  );

  protected shown(unit: string, value: number | null): string {
    return value === null ? $localize`not measured` : this.numbers.value(unit, value);
  }
}
