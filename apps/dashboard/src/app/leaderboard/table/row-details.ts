import { Component, computed, DestroyRef, ElementRef, inject, input, output } from '@angular/core';
import { RouterLink } from '@angular/router';
import {
  type Estimate as Figure,
  type Evaluation,
  type Model,
  modelsGetResource,
  type SliceSpread,
} from '@assay/api-client/angular';
import type { EstimateValue } from '../../ui/charts/estimate.js';
import { Estimate, Loaded, Numbers } from '../../ui/index.js';
import { metricName } from '../../ui/terms/terms.js';
import { BoardState } from '../board/board-state.js';

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
    return datasetResults(model, names, this.state.ownDatasets(model.id), (dataset, metric) =>
      this.state.fittedFigure(model.id, dataset, metric),
    );
  }

  protected slices(model: Model) {
    return sliceResults(model, this.performance().name);
  }
}

type Evaluated = Pick<Model, 'evaluations'>;

/** The scores of a model on a dataset. */
interface DatasetResult {
  readonly dataset: string;
  readonly examples: number;
  /** True if the dataset was collected against this model. */
  readonly own: boolean;
  /** True if a figure is fitted, because of that. */
  readonly estimated: boolean;
  /** The state of the evaluation, such as `queued` or `failed`. */
  readonly state: Evaluation['state'];
  /** The reason of a failure, in words. */
  readonly failure: string | undefined;
  /** The scores in the order of the requested metrics. */
  readonly figures: readonly (EstimateValue | undefined)[];
}

/** The spread of the slices of a field on a dataset. */
interface SliceRow extends Pick<SliceSpread, 'worst' | 'best' | 'gap'> {
  readonly dataset: string;
  readonly field: string;
}

/** The effect of a perturbation on a model's answers. */
interface PerturbationRow {
  readonly dataset: string;
  readonly perturbation: NonNullable<Evaluation['perturbation']>;
  readonly transform: string;
  /** The share of answers that stayed the same, and the loss of performance. Both are ratios. */
  readonly stability: Figure | null;
  readonly drop: Figure | null;
}

/**
 * Returns the results by dataset, without perturbed versions.
 *
 * @param fitted returns the fitted figure that replaces a measured one
 */
export function datasetResults(
  { evaluations }: Evaluated,
  metrics: readonly string[],
  own: ReadonlySet<string>,
  fitted: (dataset: string, metric: string) => EstimateValue | undefined,
): readonly DatasetResult[] {
  return evaluations
    .filter(({ perturbation }) => perturbation === undefined)
    .map((each) => {
      const estimates = metrics.map((name) => fitted(each.dataset, name));
      return {
        ...{ dataset: each.dataset, examples: each.examples, state: each.state, own: own.has(each.dataset) },
        estimated: estimates.some((estimate) => estimate !== undefined),
        failure: each.failure?.message,
        figures: metrics.map((name, place) => estimates[place] ?? each.metrics[name]),
      };
    });
}

/** Returns the spread of slices by dataset and field, if the slices are large enough to compare. */
export function sliceResults({ evaluations }: Evaluated, metric: string): readonly SliceRow[] {
  return evaluations
    .filter(({ perturbation }) => perturbation === undefined)
    .flatMap(({ dataset, sliceSpreads = {} }) =>
      Object.entries(sliceSpreads).flatMap(([field, spreads]) => {
        const spread = spreads[metric];
        return spread ? [{ dataset, field, worst: spread.worst, best: spread.best, gap: spread.gap }] : [];
      }),
    );
}

/** Returns the effects of perturbations by dataset and transform. */
export function perturbationResults({ evaluations }: Evaluated): readonly PerturbationRow[] {
  return evaluations.flatMap(({ dataset, perturbation, perturbed }) => {
    if (!perturbation || !perturbed) return [];
    return Object.entries(perturbed.transforms).map(([transform, { stability, drop }]) => ({
      ...{ dataset, perturbation, transform, stability, drop },
    }));
  });
}
