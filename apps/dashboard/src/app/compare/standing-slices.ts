import type { Comparison, MetricComparison } from '@assay/api-client/angular';

/** A slice on which two models differ significantly, corrected for all slices of its field. */
export interface StandingSlice {
  readonly dataset: string;
  readonly field: string;
  readonly value: string;
  readonly n: number;
  readonly figures: MetricComparison;
}

export function standingSlices({ datasets }: Comparison, metric: string): readonly StandingSlice[] {
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
