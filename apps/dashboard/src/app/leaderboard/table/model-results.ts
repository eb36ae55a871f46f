import type { Estimate, Evaluation, Model, SliceSpread } from '@assay/api-client/angular';

type Evaluated = Pick<Model, 'evaluations'>;

/** The scores of a model on a dataset. */
export interface DatasetResult {
  readonly dataset: string;
  readonly examples: number;
  /** True if the dataset was collected against this model. */
  readonly own: boolean;
  /** The state of the evaluation, such as `queued` or `failed`. */
  readonly state: Evaluation['state'];
  /** The reason of a failure, in words. */
  readonly failure: string | undefined;
  /** The scores in the order of the requested metrics. */
  readonly figures: readonly (Estimate | undefined)[];
}

/** The spread of the slices of a field on a dataset. */
export interface SliceRow extends Pick<SliceSpread, 'worst' | 'best' | 'gap'> {
  readonly dataset: string;
  readonly field: string;
}

/** The effect of a perturbation on a model's answers. */
export interface PerturbationRow {
  readonly dataset: string;
  readonly perturbation: NonNullable<Evaluation['perturbation']>;
  readonly transform: string;
  /** The share of answers that stayed the same, and the loss of performance. Both are ratios. */
  readonly stability: Estimate | null;
  readonly drop: Estimate | null;
}

/** Returns the results by dataset, without perturbed versions. */
export function datasetResults(
  { evaluations }: Evaluated,
  metrics: readonly string[],
  own: ReadonlySet<string>,
): readonly DatasetResult[] {
  return evaluations
    .filter(({ perturbation }) => perturbation === undefined)
    .map((each) => ({
      ...{ dataset: each.dataset, examples: each.examples, state: each.state, own: own.has(each.dataset) },
      failure: each.failure?.message,
      figures: metrics.map((name) => each.metrics[name]),
    }));
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
