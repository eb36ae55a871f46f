import { Component, computed, inject, signal } from '@angular/core';
import { datasetartefactsOfResource } from '@assay/api-client/angular';
import { Loaded, Numbers } from '../ui/index.js';
import { TaskContext } from './task-context.js';

/**
 * The facts that the examples of a dataset give away about their labels. They are computed for the dataset that
 * the reader chooses, among those whose labels the reader may see.
 */
@Component({
  selector: 'app-artefacts-section',
  imports: [Loaded],
  templateUrl: './artefacts-section.html',
  styleUrl: '../ui/select.scss',
})
export class ArtefactsSection {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly chosen = signal('');
  protected readonly names = computed(() => {
    const [task, isOwner] = [this.context.loaded(), this.context.isOwner()];
    if (task?.output.type !== 'label' || !task.inputs.some(({ type }) => type === 'text')) return [];
    return task.datasets
      .filter(({ visibility, status }) => status === 'active' && (isOwner || visibility === 'public'))
      .map(({ name }) => name);
  });
  protected readonly artefacts = datasetartefactsOfResource(() =>
    this.chosen() === '' ? undefined : { path: { slug: this.context.slug(), name: this.chosen() } },
  );
}
