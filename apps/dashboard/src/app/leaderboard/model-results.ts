import type { Estimate, Evaluation, Model, SliceSpread } from '../../client/types.gen.js';

type Evaluated = Pick<Model, 'evaluations'>;

/** A model's scores on a dataset. */
export interface DatasetResult {
  readonly dataset: string;
  readonly examples: number;
  /** Collected against this very model. */
  readonly own: boolean;
  /** What became of it where there is no score: `queued`, `failed`, … */
  readonly state: Evaluation['state'];
  /** Why it failed, in words. */
  readonly failure: string | undefined;
  /** In the order of the metrics that were asked for. */
  readonly figures: readonly (Estimate | undefined)[];
}

/** How far the slices of a dataset are apart in a field. */
export interface SliceRow extends Pick<SliceSpread, 'worst' | 'best' | 'gap'> {
  readonly dataset: string;
  readonly field: string;
}

/** What changing the examples does to a model's answers. */
export interface PerturbationRow {
  readonly dataset: string;
  readonly perturbation: NonNullable<Evaluation['perturbation']>;
  readonly transform: string;
  /** Answers that stayed the same, and what is lost of the performance; as ratios. */
  readonly stability: Estimate | null;
  readonly drop: Estimate | null;
}

/** By dataset, without the perturbed versions. */
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

/** By dataset and slicing field, where there are slices large enough to be told apart. */
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

/** By dataset and transform. */
export function perturbationResults({ evaluations }: Evaluated): readonly PerturbationRow[] {
  return evaluations.flatMap(({ dataset, perturbation, perturbed }) => {
    if (!perturbation || !perturbed) return [];
    return Object.entries(perturbed.transforms).map(([transform, { stability, drop }]) => ({
      ...{ dataset, perturbation, transform, stability, drop },
    }));
  });
}
