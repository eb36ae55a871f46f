import { Component, computed, effect, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { roundsListResource } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { Loaded, Numbers, PageHeader, When } from '../../ui/index.js';
import { ClosingSteps } from './closing-steps.js';
import { OpenRoundForm } from './open-round.js';
import { RoundDesk } from './round-desk.js';

/** Milliseconds between two reloads while a round is closing. */
const LOOK = 5000;

/** The rounds of a task, with forms to open and close them. */
@Component({
  selector: 'app-rounds-page',
  imports: [ClosingSteps, Loaded, OpenRoundForm, PageHeader, RoundDesk, RouterLink, When],
  template: `
    <app-page-header
      i18n-title
      title="Rounds"
      i18n-lead
      lead="In a round, people write examples that fool the target models. Those that validators find correct become the next datasets."
    />
    <div class="parts" *appLoaded="rounds; let _list">
      @if (open(); as round) {
        <app-round-desk [round]="round" (changed)="rounds.reload()" />
      } @else if (closing(); as round) {
        <section class="panel stack" aria-labelledby="closing-heading">
          <h2 id="closing-heading" i18n>Round {{ round.number }} is closing</h2>
          <app-closing-steps [round]="round" />
        </section>
      } @else {
        <app-open-round (opened)="rounds.reload()" />
      }
      @if (closed().length > 0) {
        <section class="stack" aria-labelledby="closed-heading">
          <h2 id="closed-heading" i18n>Closed</h2>
          <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Closed rounds">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col" i18n>Round</th>
                  <th scope="col" i18n>Closed</th>
                  <th scope="col" class="number" i18n>Examples</th>
                  <th scope="col" class="number" i18n>Found correct</th>
                  <th scope="col" i18n>Became</th>
                  <th scope="col" i18n>Benchmark</th>
                </tr>
              </thead>
              <tbody>
                @for (round of closed(); track round.id) {
                  <tr>
                    <th scope="row">
                      <a [routerLink]="['/tasks', context.slug(), 'rounds', round.number]" i18n
                        >Round {{ round.number }}</a
                      >
                    </th>
                    <td>
                      @if (round.imported) {
                        <ng-container i18n>came as a file</ng-container>
                      } @else if (round.closedAt) {
                        <app-when [at]="round.closedAt" />
                      }
                    </td>
                    <td class="number">{{ round.imported ? '' : numbers.count(round.counts.examples) }}</td>
                    <td class="number">{{ round.imported ? '' : numbers.count(round.counts.validated) }}</td>
                    <td>
                      @for (release of round.releases; track release.part) {
                        <span class="tag">{{ release.part }} {{ numbers.count(release.examples) }}</span
                        >&ngsp;
                      }
                    </td>
                    <td>
                      @if (round.benchmarkVersion !== null) {
                        <ng-container i18n>v{{ round.benchmarkVersion }}</ng-container>
                      }
                    </td>
                  </tr>
                }
              </tbody>
            </table>
          </div>
        </section>
      }
    </div>
  `,
  styles: `
    .parts {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 40px;
    }
  `,
})
export class RoundsPage {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly rounds = roundsListResource(() =>
    this.context.slug() ? { path: { slug: this.context.slug() }, query: { limit: 200 } } : undefined,
  );
  private readonly items = computed(() => (this.rounds.hasValue() ? this.rounds.value().items : []));
  protected readonly open = computed(() => this.items().find(({ state }) => state === 'open'));
  protected readonly closing = computed(() => this.items().find(({ state }) => state === 'closing'));
  protected readonly closed = computed(() =>
    this.items()
      .filter(({ state }) => state === 'closed')
      .toReversed(),
  );

  constructor() {
    effect((onCleanup) => {
      if (!this.closing()) return;
      const looking = setInterval(() => this.rounds.reload(), LOOK);
      onCleanup(() => clearInterval(looking));
    });
  }
}
