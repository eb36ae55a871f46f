import { Component, computed, DestroyRef, ElementRef, inject, input, output } from '@angular/core';
import { RouterLink } from '@angular/router';
import { type Model, modelsGetResource } from '@assay/api-client/angular';
import { Estimate, Loaded, Numbers } from '../../ui/index.js';
import { metricName } from '../../ui/terms/terms.js';
import { BoardState } from '../board/board-state.js';
import { datasetResults, perturbationResults, sliceResults } from './model-results.js';

/** A model's datasets, slices and perturbed versions, below its row. They load on opening. */
@Component({
  selector: 'app-row-details',
  imports: [Estimate, Loaded, RouterLink],
  templateUrl: './row-details.html',
  styleUrl: './row-details.scss',
})
export class RowDetails {
  readonly model = input.required<string>();
  /** The height of the details in CSS pixels, emitted whenever it changes. */
  readonly measured = output<number>();

  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);
  protected readonly details = modelsGetResource(() => ({ path: { id: this.model() } }));
  protected readonly metricName = metricName;
  protected readonly perturbations = perturbationResults;
  // i18n of an attribute with an interpolated value does not work for aria attributes
  protected readonly labels = {
    datasets: (name: string) => $localize`Datasets of ${name}:name:`,
    slices: (name: string) => $localize`Slices of ${name}:name:`,
    perturbations: (name: string) => $localize`Perturbations of ${name}:name:`,
  };

  /** The performance metric, then the other scores that the table shows. */
  protected readonly metrics = computed(() => {
    const { metrics, performance } = this.state.file()!.matrix;
    const shown = new Set(this.state.columns().flatMap((column) => (column.type === 'metric' ? [column.id] : [])));
    const scores = metrics.filter(({ name, isScore }) => isScore && shown.has(name) && name !== performance);
    return [...metrics.filter(({ name }) => name === performance), ...scores];
  });
  protected readonly performance = computed(() => this.metrics()[0]!);

  constructor() {
    const host = inject<ElementRef<HTMLElement>>(ElementRef).nativeElement;
    const observer = new ResizeObserver(() => this.measured.emit(host.offsetHeight));
    observer.observe(host);
    inject(DestroyRef).onDestroy(() => observer.disconnect());
  }

  protected datasets(model: Model) {
    const names = this.metrics().map(({ name }) => name);
    return datasetResults(model, names, this.state.ownDatasets(model.id));
  }

  protected slices(model: Model) {
    return sliceResults(model, this.performance().name);
  }
}
