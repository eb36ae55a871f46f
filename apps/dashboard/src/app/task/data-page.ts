import { Component, computed, inject, resource } from '@angular/core';
import { historyBenchmarkVersionsResource, perturbationsList } from '@assay/api-client/angular';
import { Empty } from '../ui/states/empty.js';
import { Loaded } from '../ui/states/loaded.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { When } from '../ui/text/when.js';
import { DatasetsTable } from './datasets-table.js';
import { PerturbationsTable } from './perturbations-table.js';
import { TaskContext } from './task-context.js';

/** The datasets of a task, their perturbed versions, and the benchmark versions that used them. */
@Component({
  selector: 'app-data-page',
  imports: [DatasetsTable, Empty, Loaded, PageHeader, PerturbationsTable, When],
  templateUrl: './data-page.html',
  styleUrl: './data-page.scss',
})
export class DataPage {
  protected readonly context = inject(TaskContext);
  protected readonly versions = historyBenchmarkVersionsResource(() => {
    const slug = this.context.slug();
    return slug ? { path: { slug } } : undefined;
  });
  protected readonly perturbed = resource({
    params: () => this.readable(),
    loader: async ({ params: { slug, names } }) => {
      const lists = names.map((name) => perturbationsList({ path: { slug, name }, throwOnError: true }));
      return (await Promise.all(lists)).flatMap(({ data }) => data.items);
    },
  });
  /**
   * The datasets whose perturbed versions the user may read. Only the owner may read those of
   * hidden datasets.
   */
  private readonly readable = computed(() => {
    const task = this.context.task.hasValue() ? this.context.task.value() : undefined;
    const isOwner = this.context.isOwner();
    const datasets = task?.perturbations ? task.datasets : [];
    const names = datasets.filter(({ visibility }) => isOwner || visibility !== 'hidden').map(({ name }) => name);
    return task && { slug: task.slug, names };
  });
  protected readonly sliceNames = computed(() => {
    const slices = this.context.task.hasValue() ? this.context.task.value().slices : [];
    return slices.map((slice) => (typeof slice === 'string' ? slice : slice.field)).join(', ');
  });
}
