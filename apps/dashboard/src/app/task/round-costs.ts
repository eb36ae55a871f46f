import { Component, inject, input } from '@angular/core';
import { planningRoundCostsResource, type Round } from '@assay/api-client/angular';
import { Loaded, Numbers } from '../ui/index.js';

/** The pay of crowd workers in a round, for each example. Only the owner of the task may see it. */
@Component({
  selector: 'app-round-costs',
  imports: [Loaded],
  template: `
    <section class="stack" aria-labelledby="costs">
      <h2 id="costs" i18n>Pay</h2>
      <ng-container *appLoaded="costs; skeleton: 2; let costs">
        @if (costs.items.length > 0) {
          <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Pay of crowd workers">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col" i18n>Currency</th>
                  <th scope="col" class="number" i18n>Paid</th>
                  <th scope="col" class="number" i18n>Sessions</th>
                  <th scope="col" class="number" i18n>Examples</th>
                  <th scope="col" class="number" i18n>Per example</th>
                  <th scope="col" class="number" i18n>Per validated example</th>
                  <th scope="col" class="number" i18n>Per validated model error</th>
                </tr>
              </thead>
              <tbody>
                @for (cost of costs.items; track cost.currency) {
                  <tr>
                    <th scope="row">{{ cost.currency }}</th>
                    <td class="number">{{ numbers.twoDecimals(cost.paid) }}</td>
                    <td class="number">{{ numbers.count(cost.sessions) }}</td>
                    <td class="number">{{ numbers.count(cost.examples) }}</td>
                    @for (each of [cost.perExample, cost.perValidated, cost.perValidatedFooling]; track $index) {
                      <td class="number">
                        @if (each !== null) {
                          {{ numbers.twoDecimals(each) }}
                        } @else {
                          <span class="muted small" i18n>none yet</span>
                        }
                      </td>
                    }
                  </tr>
                  @if (cost.pending > 0) {
                    <tr>
                      <td colspan="7" class="muted small" i18n>
                        {{ numbers.count(cost.pending) }} examples are pending, so the last two are upper bounds.
                      </td>
                    </tr>
                  }
                }
              </tbody>
            </table>
          </div>
          <p class="muted small" i18n>Finished sessions of crowd workers, and the examples written in them.</p>
        } @else {
          <p class="muted" i18n>Nobody was paid in this round.</p>
        }
      </ng-container>
    </section>
  `,
})
export class RoundCosts {
  readonly slug = input.required<string>();
  readonly round = input.required<Round>();

  protected readonly numbers = inject(Numbers);
  protected readonly costs = planningRoundCostsResource(() => ({
    path: { slug: this.slug(), number: String(this.round().number) },
  }));
}
