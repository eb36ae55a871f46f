import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Estimate as Figure, Evaluation } from '@assay/api-client/angular';
import { columnScale } from '../ui/charts/column-scale.js';
import { Estimate } from '../ui/charts/estimate.js';
import { MetricHeading } from '../ui/metrics/metric-heading.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Numbers } from '../ui/text/numbers.js';
import { When } from '../ui/text/when.js';
import { Whisker } from '../ui/charts/whisker.js';

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
  protected readonly rows = computed(() => this.evaluations().filter(({ perturbation }) => perturbation === undefined));
  protected readonly columns = computed(() => {
    const names = [...new Set(this.rows().flatMap(({ metrics }) => Object.keys(metrics)))];
    return names.map((name) => {
      const { unit } = metricReading(name, this.performance());
      const scale = columnScale(this.rows().flatMap(({ metrics }) => metrics[name] ?? []));
      return { name, unit, scale, ends: scale.map((end) => this.numbers.value(unit, end)) };
    });
  });

  protected figure(row: Evaluation, name: string): Figure | undefined {
    return row.metrics[name];
  }

  /** Explains why a figure is missing. */
  protected why(row: Evaluation): string {
    switch (row.state) {
      case 'queued':
        return $localize`not yet: it waits`;
      case 'running':
        return $localize`not yet: it runs`;
      case 'failed':
        return $localize`failed`;
      case 'cancelled':
        return $localize`cancelled`;
      case 'scored':
        return $localize`no probabilities given`;
    }
  }
}
