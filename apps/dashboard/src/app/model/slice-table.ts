import { Component, computed, inject, input } from '@angular/core';
import type { Evaluation, SliceResult, SliceSpread } from '@assay/api-client/angular';
import { columnScale, Estimate, Numbers, Whisker } from '../ui/index.js';
import { MetricHeading } from '../ui/metrics/metric-heading.js';
import { metricReading } from '../ui/metrics/metric-reading.js';

/**
 * The metrics of a model on each slice of a dataset: the examples that share the value of a field.
 */
@Component({
  selector: 'app-slice-table',
  imports: [Estimate, MetricHeading, Whisker],
  templateUrl: './slice-table.html',
  styleUrl: './figures-table.scss',
})
export class SliceTable {
  readonly evaluation = input.required<Evaluation>();
  readonly performance = input('accuracy');

  protected readonly numbers = inject(Numbers);
  protected readonly fields = computed(() => sliceFields(this.evaluation(), this.performance()));
  protected readonly metrics = computed(() => {
    const slices = this.fields().flatMap(({ rows }) => rows.map(({ slice }) => slice));
    // keeps the order of the dataset's own metrics
    const names = [...new Set([this.evaluation(), ...slices].flatMap(({ metrics }) => Object.keys(metrics)))].filter(
      (name) => slices.some(({ metrics }) => name in metrics),
    );
    return names.map((name) => ({
      name,
      unit: metricReading(name, this.performance()).unit,
      scale: columnScale(slices.flatMap(({ metrics }) => metrics[name] ?? [])),
    }));
  });

  protected standsOut(field: SliceField, value: string): boolean {
    return field.spread?.standingOut.includes(value) ?? false;
  }

  // `i18n-aria-label` with an interpolation would bind a property, but `aria-label` is an attribute
  protected regionLabel({ name }: SliceField): string {
    return $localize`Slices by ${name}:field:`;
  }

  protected sentence({ worst, best, gap, chance }: SliceSpread): string {
    const { unit } = metricReading(this.performance());
    const show = (value: number): string => this.numbers.value(unit, value);
    const spread = $localize`From ${show(worst.value)}:worst: (${worst.slice}:worstSlice:) to ${show(best.value)}:best: (${best.slice}:bestSlice:): ${show(gap.value)}:gap: apart.`;
    const judgement =
      Math.abs(gap.value) > chance.high
        ? $localize`Slices of these sizes are seldom more than ${show(chance.high)}:chance: apart by chance alone: this gap says something.`
        : $localize`Slices of these sizes are up to ${show(chance.high)}:chance: apart by chance alone: this gap says little.`;
    return `${spread} ${judgement}`;
  }
}

/** The smallest slice, in examples, for which the API compares the spread with chance. */
const ENOUGH = 30;

interface SliceRow {
  readonly value: string;
  readonly slice: SliceResult;
  /** True if the slice has fewer than `ENOUGH` examples. */
  readonly isSmall: boolean;
}

/** A field by which examples are sliced, with its values, the largest slice first. */
interface SliceField {
  readonly name: string;
  readonly rows: readonly SliceRow[];
  readonly spread: SliceSpread | undefined;
}

/** @param performance The metric whose spread is returned. */
export function sliceFields(
  { slices, sliceSpreads }: Pick<Evaluation, 'slices' | 'sliceSpreads'>,
  performance: string,
): readonly SliceField[] {
  return Object.entries(slices).map(([name, values]) => ({
    name,
    rows: Object.entries(values)
      .map(([value, slice]) => ({ value, slice, isSmall: slice.n < ENOUGH }))
      .toSorted((one, other) => other.slice.n - one.slice.n || one.value.localeCompare(other.value)),
    spread: sliceSpreads?.[name]?.[performance],
  }));
}
