import { Component, computed, inject, signal } from '@angular/core';
import { datasetshiftOfResource } from '@assay/api-client/angular';
import { Loaded, Numbers } from '../ui/index.js';
import { TaskContext } from './task-context.js';

/**
 * The differences between the datasets of rounds. They are computed for the dataset that the reader chooses,
 * among those whose examples the reader may see and that have an earlier one of the same use.
 */
@Component({
  selector: 'app-shift-section',
  imports: [Loaded],
  templateUrl: './shift-section.html',
  styleUrl: '../ui/select.scss',
})
export class ShiftSection {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly chosen = signal('');
  protected readonly names = computed(() => {
    const [task, isOwner] = [this.context.loaded(), this.context.isOwner()];
    if (!task?.inputs.some(({ type }) => type === 'text')) return [];
    const readable = task.datasets.filter(
      ({ visibility, status, role }) => status === 'active' && role === 'round' && (isOwner || visibility === 'public'),
    );
    return readable
      .filter(({ round, use }) => readable.some((other) => other.use === use && (other.round ?? 0) < (round ?? 0)))
      .map(({ name }) => name);
  });
  protected readonly shift = datasetshiftOfResource(() =>
    this.chosen() === '' ? undefined : { path: { slug: this.context.slug(), name: this.chosen() } },
  );
}
