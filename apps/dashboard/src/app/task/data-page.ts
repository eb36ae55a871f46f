import { Component, computed, inject, resource } from '@angular/core';
import { historyBenchmarkVersionsResource, perturbationsList } from '@assay/api-client/angular';
import { Empty, Loaded, PageHeader, When } from '../ui/index.js';
import { ArtefactsSection } from './artefacts-section.js';
import { DatasetsTable } from './datasets-table.js';
import { PerturbationsTable } from './perturbations-table.js';
import { ShiftSection } from './shift-section.js';
import { TaskContext } from './task-context.js';

/** The datasets of a task, their perturbed versions, and the benchmark versions that used them. */
@Component({
  selector: 'app-data-page',
  imports: [ArtefactsSection, DatasetsTable, Empty, Loaded, PageHeader, PerturbationsTable, ShiftSection, When],
  templateUrl: './data-page.html',
  styleUrl: './data-page.scss',
})
export class DataPage {
  protected readonly context = inject(TaskContext);
  protected readonly versions = historyBenchmarkVersionsResource(this.context.path);
  protected readonly perturbed = resource({
    params: () => this.readable(),
    loader: async ({ params: { slug, names } }) => {
      const lists = names.map((name) => perturbationsList({ path: { slug, name } }));
      return (await Promise.all(lists)).flatMap(({ data }) => data.items);
    },
  });
  /**
   * The datasets whose perturbed versions the user may read. Only the owner may read those of
   * hidden datasets.
   */
  private readonly readable = computed(() => {
    const [task, isOwner] = [this.context.loaded(), this.context.isOwner()];
    const datasets = task?.perturbations ? task.datasets : [];
    const names = datasets.filter(({ visibility }) => isOwner || visibility !== 'hidden').map(({ name }) => name);
    return task && { slug: task.slug, names };
  });
  protected readonly sliceNames = computed(() =>
    (this.context.loaded()?.slices ?? []).map((slice) => (typeof slice === 'string' ? slice : slice.field)).join(', '),
  );
}
