import { Component, computed, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { STATUS_NAMES } from '../../task/task-words.js';
import { TaskContext } from '../../task/task-context.js';
import { TaskWarnings } from '../../task/task-warnings.js';
import { Empty, Numbers } from '../../ui/index.js';
import { DatasetDetails } from './dataset-details.js';

const VISIBILITY_WORDS = { hidden: $localize`hidden`, inputs: $localize`inputs`, public: $localize`public` } as const;

/** The active and proposed datasets of the task, with their settings. */
@Component({
  selector: 'app-dataset-list',
  imports: [DatasetDetails, Empty, MatButton, TaskWarnings],
  template: `
    <section aria-labelledby="list-heading" class="stack">
      <h2 id="list-heading" i18n>What there is</h2>
      @if (datasets().length === 0) {
        <app-empty><p i18n>No dataset yet. Put one above: models are evaluated on it as they come.</p></app-empty>
      } @else {
        <app-task-warnings [warnings]="warnings()" />
        <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Datasets">
          <table class="data">
            <thead>
              <tr>
                <th scope="col" i18n>Dataset</th>
                <th scope="col" i18n>Belongs to</th>
                <th scope="col" i18n>Use</th>
                <th scope="col" i18n>Readable</th>
                <th scope="col" class="number" i18n>Examples</th>
                <th scope="col" class="number" i18n>Version</th>
                <th scope="col" i18n>Status</th>
                <th scope="col"><span class="visually-hidden" i18n>More</span></th>
              </tr>
            </thead>
            <tbody>
              @for (dataset of datasets(); track dataset.name + dataset.version) {
                <tr>
                  <th scope="row">{{ dataset.name }}</th>
                  <td>
                    @if (dataset.role === 'round') {
                      <ng-container i18n>round {{ dataset.round }}</ng-container>
                    } @else {
                      <ng-container i18n>static</ng-container>
                    }
                  </td>
                  <td>
                    @if (dataset.use === 'scoring') {
                      <ng-container i18n>ranks</ng-container>
                    } @else {
                      <ng-container i18n>shown alone</ng-container>
                    }
                  </td>
                  <td>{{ visibility[dataset.visibility] }}</td>
                  <td class="number">{{ numbers.count(dataset.examples) }}</td>
                  <td class="number">{{ dataset.version }}</td>
                  <td>
                    <span
                      class="tag"
                      [class.good]="dataset.status === 'active'"
                      [class.caution]="dataset.status === 'proposed'"
                      >{{ status[dataset.status] }}</span
                    >
                  </td>
                  <td class="number">
                    <button
                      matButton
                      type="button"
                      [attr.aria-expanded]="opened() === dataset.name"
                      (click)="opened.set(opened() === dataset.name ? '' : dataset.name)"
                      [attr.aria-label]="changing(dataset.name)"
                      i18n
                    >
                      Change
                    </button>
                  </td>
                </tr>
              }
            </tbody>
          </table>
        </div>
        @if (shown(); as dataset) {
          <app-dataset-details [dataset]="dataset" (closed)="opened.set('')" />
        }
      }
    </section>
  `,
})
export class DatasetList {
  private readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly status = STATUS_NAMES;
  protected readonly visibility = VISIBILITY_WORDS;
  protected readonly datasets = computed(() => this.context.loaded()?.datasets ?? []);
  protected readonly warnings = computed(() => this.context.loaded()?.warnings ?? []);
  protected readonly opened = signal('');
  protected readonly shown = computed(() => this.datasets().find(({ name }) => name === this.opened()));

  protected changing(name: string): string {
    return $localize`Change ${name}:name:`;
  }
}
