import { Component, computed, inject, input } from '@angular/core';
import { Router, RouterLink } from '@angular/router';
import { type Model, modelanswersConfusionResource, type Task } from '@assay/api-client/angular';
import { Loaded } from '../ui/index.js';
import { CalibrationPanel } from './calibration-panel.js';
import { ConfusionMatrix } from './confusion-matrix.js';
import { examplesTitle, rowKey } from './progress-rows.js';
import { ModelErrors, type Outcome } from './model-errors.js';
import type { Perturbation } from './model-events.js';
import { SliceTable } from './slice-table.js';

export type CloserView = 'examples' | 'slices' | 'labels' | 'confidence';

/**
 * The details of a model on one dataset: slices, calibration, confusion matrix, and readable
 * examples.
 */
@Component({
  selector: 'app-dataset-closer',
  imports: [CalibrationPanel, ConfusionMatrix, Loaded, ModelErrors, RouterLink, SliceTable],
  templateUrl: './dataset-closer.html',
  styleUrl: './dataset-closer.scss',
})
export class DatasetCloser {
  readonly model = input.required<Model>();
  readonly task = input.required<Task>();
  /** True if the user owns the task and may therefore read all of its examples. */
  readonly isTaskOwner = input.required<boolean>();
  readonly dataset = input<string>();
  readonly perturbation = input<Perturbation>();
  readonly view = input<CloserView>();
  readonly outcome = input<Outcome>('wrong');
  readonly slice = input<string>();
  readonly label = input<string>();
  readonly answer = input<string>();

  private readonly router = inject(Router);
  protected readonly title = examplesTitle;
  protected readonly key = rowKey;
  protected readonly scored = computed(() => this.model().evaluations.filter(({ state }) => state === 'scored'));
  /** The evaluation that is shown: the one that the address names, else the first. */
  protected readonly evaluation = computed(() => {
    const [dataset, perturbation] = [this.dataset(), this.perturbation()];
    const asked = this.scored().find((each) => each.dataset === dataset && each.perturbation === perturbation);
    return asked ?? this.scored()[0];
  });
  protected readonly isReadable = computed(() => {
    const name = this.evaluation()?.dataset;
    const dataset = this.task().datasets.find((each) => each.name === name);
    return this.isTaskOwner() || dataset?.visibility === 'public';
  });
  protected readonly views = computed<readonly { readonly name: CloserView; readonly title: string }[]>(() => [
    { name: 'examples', title: $localize`Its errors` },
    { name: 'slices', title: $localize`Slices` },
    ...(this.task().output.type === 'label'
      ? ([
          { name: 'labels', title: $localize`Confusion matrix` },
          { name: 'confidence', title: $localize`Calibration` },
        ] as const)
      : []),
  ]);
  protected readonly shownView = computed(() => {
    const asked = this.views().find(({ name }) => name === this.view());
    return asked?.name ?? (this.isReadable() ? 'examples' : 'slices');
  });
  protected readonly confusion = modelanswersConfusionResource(() => {
    const evaluation = this.evaluation();
    if (!evaluation || this.shownView() !== 'labels') return undefined;
    const { dataset, perturbation } = evaluation;
    return { path: { id: this.model().id, name: dataset }, query: perturbation ? { perturbation } : {} };
  });

  protected async choose(key: string): Promise<void> {
    const chosen = this.scored().find((each) => rowKey(each) === key);
    if (!chosen) return;
    const filters = { slice: null, label: null, answer: null };
    const queryParams = { dataset: chosen.dataset, perturbation: chosen.perturbation ?? null, ...filters };
    await this.router.navigate([], { queryParams, queryParamsHandling: 'merge' });
  }
}
