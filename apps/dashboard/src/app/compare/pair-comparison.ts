import { Component, computed, inject, input } from '@angular/core';
import { Router } from '@angular/router';
import type { Comparison, Difference } from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { differenceScale, DisclosureNote, Estimate, Numbers, Whisker } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Term } from '../ui/terms/term.js';
import { metricName, unitName } from '../ui/terms/terms.js';
import { ComparedCosts } from './compared-costs.js';
import { ComparedExamples } from './compared-examples.js';
import {
  comparedDatasets,
  type ComparedFigures,
  comparisonSentence,
  overallSentence,
  type OverallVerdict,
  overallVerdict,
} from './compare-sentences.js';

/**
 * Two models in detail: a summary, their differences on each dataset, and the examples that only
 * one answers correctly.
 */
@Component({
  selector: 'app-pair-comparison',
  imports: [ComparedCosts, ComparedExamples, DisclosureNote, Estimate, Term, Whisker],
  templateUrl: './pair-comparison.html',
  styleUrl: './comparison.scss',
})
export class PairComparison {
  readonly comparison = input.required<Comparison>();
  /** The result for this pair among more than two models, after correcting for all pairs. */
  readonly among = input<{ readonly pairs: number; readonly isSignificant: boolean }>();
  readonly slug = input.required<string>();
  readonly asOf = input<string>();
  readonly metric = input<string>();
  readonly dataset = input<string>();
  readonly only = input<'a' | 'b' | 'both_wrong'>();

  private readonly router = inject(Router);
  private readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly metricName = metricName;

  protected readonly shownMetric = computed(() => {
    const { metrics, performance } = this.comparison();
    return metrics.find(({ name }) => name === this.metric())?.name ?? performance;
  });
  /** The metrics that both models have on at least one dataset. */
  protected readonly metrics = computed(() => {
    const { metrics, datasets } = this.comparison();
    return metrics.filter(({ name }) => datasets.some((each) => name in each.metrics));
  });
  protected readonly reading = computed(() => metricReading(this.shownMetric(), this.comparison().performance));
  protected readonly unit = computed(() => unitName(this.reading().unit));
  protected readonly rows = computed(() => comparedDatasets(this.comparison(), this.shownMetric()));
  protected readonly overall = computed<Difference | undefined>(
    () => this.comparison().overall.metrics[this.shownMetric()],
  );
  protected readonly scale = computed(() =>
    differenceScale([
      ...this.rows().map(({ figures }) => figures.difference),
      ...(this.overall() ? [this.overall()!.difference] : []),
    ]),
  );
  protected readonly ends = computed(() => this.scale().map((end) => this.signed(end)));
  protected readonly slices = computed(() => standingSlices(this.comparison(), this.shownMetric()));

  /** The model with the better figure over all datasets. */
  private readonly ahead = computed(() => {
    const { a, b } = this.comparison();
    return (this.overall()?.difference.value ?? 0) > 0 !== this.reading().isLowerBetter ? a : b;
  });
  protected readonly overallVerdict = computed<OverallVerdict>(() => {
    // the matrix compares the performance metric only
    const isAmongPairs = this.shownMetric() === this.comparison().performance;
    return overallVerdict(this.overall(), isAmongPairs ? this.among()?.isSignificant : undefined);
  });

  protected readonly sentence = computed(() => {
    const { a, b, sameComputation } = this.comparison();
    if (sameComputation) return $localize`They are one computation under two names: all they answer is the same.`;
    const counted = this.rows().filter(({ comparison: { use, own } }) => use === 'scoring' && !own.a && !own.b);
    const overall = this.overallVerdict() === 'significant' ? this.ahead().name : undefined;
    return comparisonSentence(a.name, b.name, counted, overall);
  });
  protected readonly overallSentence = computed(() => {
    const overall = this.overall();
    if (!overall) return '';
    const size = this.numbers.value(this.reading().unit, Math.abs(overall.difference.value));
    return overallSentence({
      ahead: this.ahead().name,
      size: this.reading().unit === 'ratio' ? $localize`${size}:size: points` : `${size} ${this.unit()}`,
      p: this.probability(overall.p),
      verdict: this.overallVerdict(),
      pairs: overall.better ? (this.among()?.pairs ?? 1) : 1,
    });
  });
  protected readonly comparableSentence = computed(() => {
    const { comparable, of } = this.comparison().overall;
    const [k, m] = [this.numbers.count(comparable), this.numbers.count(of)];
    return $localize`${k}:k: of ${m}:m: datasets that rank are compared.`;
  });
  /**
   * Names of the compared datasets whose examples the reader may see, without perturbed versions.
   */
  protected readonly readable = computed(() => {
    const open = (this.context.loaded()?.datasets ?? []).filter(
      ({ visibility }) => this.context.isOwner() || visibility === 'public',
    );
    const names = open.map(({ name }) => name);
    return this.comparison()
      .datasets.filter(({ perturbation, dataset }) => perturbation === undefined && names.includes(dataset))
      .map(({ dataset }) => dataset);
  });

  protected signed(value: number): string {
    return this.numbers.signed(this.reading().unit, value);
  }

  protected probability(p: number | null): string {
    if (p === null) return $localize`the data cannot say`;
    return p < 0.001 ? '< 0.001' : p.toFixed(3);
  }

  /** Notes on a dataset: contamination, own cells, warnings, and if it is only for reporting. */
  protected notes({ comparison: { exposure, own, warnings, use } }: ComparedFigures): readonly string[] {
    const { a, b } = this.comparison();
    return [
      ...(use === 'reporting' ? [$localize`shown, does not rank`] : []),
      ...(exposure.a === 'exposed' ? [$localize`${a.name}:model: came after the data was public`] : []),
      ...(exposure.b === 'exposed' ? [$localize`${b.name}:model: came after the data was public`] : []),
      ...(own.a ? [$localize`collected against ${a.name}:model:`] : []),
      ...(own.b ? [$localize`collected against ${b.name}:model:`] : []),
      ...warnings,
    ];
  }

  protected verdict(better: 'a' | 'b' | 'none'): string {
    const { a, b } = this.comparison();
    if (better === 'none') return $localize`no significant difference`;
    const { name } = better === 'a' ? a : b;
    return $localize`${name}:model: is better`;
  }

  protected async chooseMetric(name: string): Promise<void> {
    const metric = name === this.comparison().performance ? null : name;
    await this.router.navigate([], { queryParams: { metric }, queryParamsHandling: 'merge' });
  }
}

/** Returns the slices on which two models differ significantly, corrected for all slices of each field. */
function standingSlices({ datasets }: Comparison, metric: string) {
  return datasets
    .filter(({ perturbation }) => perturbation === undefined)
    .flatMap(({ dataset, slices }) =>
      Object.entries(slices).flatMap(([field, values]) =>
        Object.entries(values).flatMap(([value, { n, metrics }]) => {
          const figures = metrics[metric];
          return figures?.standsOut ? [{ dataset, field, value, n, figures }] : [];
        }),
      ),
    );
}
