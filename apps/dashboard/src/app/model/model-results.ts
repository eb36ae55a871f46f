import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Evaluation } from '@assay/api-client/angular';
import { evaluatorNames } from '@assay/scoring/marks';
import { columnScale, Estimate, Numbers, When, Whisker } from '../ui/index.js';
import { MetricHeading } from '../ui/metrics/metric-heading.js';
import { metricReading } from '../ui/metrics/metric-reading.js';

/** Why a figure is missing, by the state of the evaluation. */
const MISSING: Readonly<Record<Evaluation['state'], string>> = {
  queued: $localize`not yet: it waits`,
  running: $localize`not yet: it runs`,
  failed: $localize`failed`,
  cancelled: $localize`cancelled`,
  scored: $localize`no probabilities given`,
};

/**
 * The metrics of a model by unperturbed dataset, one column per metric. Whiskers share the scale of
 * their column.
 */
@Component({
  selector: 'app-model-results',
  imports: [Estimate, MetricHeading, RouterLink, When, Whisker],
  templateUrl: './model-results.html',
  styleUrl: './figures-table.scss',
})
export class ModelResults {
  readonly evaluations = input.required<readonly Evaluation[]>();
  readonly performance = input('accuracy');

  protected readonly numbers = inject(Numbers);
  protected readonly evaluatorNames = evaluatorNames;
  protected readonly missing = MISSING;
  protected readonly rows = computed(() => this.evaluations().filter(({ perturbation }) => perturbation === undefined));
  protected readonly columns = computed(() => {
    const names = [...new Set(this.rows().flatMap(({ metrics }) => Object.keys(metrics)))];
    return names.map((name) => {
      const { unit } = metricReading(name, this.performance());
      const scale = columnScale(this.rows().flatMap(({ metrics }) => metrics[name] ?? []));
      return { name, unit, scale, ends: scale.map((end) => this.numbers.value(unit, end)) };
    });
  });
}
