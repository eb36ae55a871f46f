import { Component, computed, inject, linkedSignal, resource, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatCheckbox } from '@angular/material/checkbox';
import { RouterLink } from '@angular/router';
import {
  type BenchmarkVersion,
  type BenchmarkVersionSummary,
  historyBenchmarkVersionsResource,
  tasksActivate,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { TaskWarnings } from '../../task/task-warnings.js';
import { Action, ActionProblem, Empty, Loaded, Numbers, PageHeader, When } from '../../ui/index.js';
import { Desk } from '../desk.js';

/** The proposed datasets, the cost of activating them, and the earlier benchmark versions. */
@Component({
  selector: 'app-benchmark-page',
  imports: [ActionProblem, Desk, Empty, Loaded, MatButton, MatCheckbox, PageHeader, RouterLink, TaskWarnings, When],
  templateUrl: './benchmark-page.html',
  styles: `
    .changes {
      display: grid;
      gap: 4px;
      margin: 0;
      padding-inline-start: 18px;
    }
  `,
})
export class BenchmarkPage {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly activation = new Action();
  protected readonly activated = signal<BenchmarkVersion | undefined>(undefined);
  protected readonly history = historyBenchmarkVersionsResource(this.context.path);

  protected readonly proposed = computed(
    () => this.context.loaded()?.datasets.filter(({ status }) => status === 'proposed') ?? [],
  );
  protected readonly chosen = linkedSignal<ReadonlySet<string>>(() => new Set(this.proposed().map(({ name }) => name)));
  private readonly names = computed(() => [...this.chosen()].sort());
  protected readonly preview = resource({
    params: () => (this.names().length > 0 ? { slug: this.context.slug(), datasets: this.names() } : undefined),
    loader: async ({ params: { slug, datasets } }) =>
      (await tasksActivate({ path: { slug }, query: { preview: '' }, body: { datasets } })).data,
  });

  protected choose(name: string, isChosen: boolean): void {
    this.chosen.update((before) => new Set(isChosen ? [...before, name] : [...before].filter((each) => each !== name)));
  }

  protected async activate(): Promise<void> {
    await this.activation.run(async () => {
      const path = { slug: this.context.slug() };
      this.activated.set((await tasksActivate({ path, body: { datasets: this.names() } })).data);
      this.context.task.reload();
      this.history.reload();
    });
  }

  protected datasetsOf({ datasets }: BenchmarkVersionSummary): string {
    return datasets.map(({ name, version }) => `${name} v${version}`).join(', ');
  }
}
