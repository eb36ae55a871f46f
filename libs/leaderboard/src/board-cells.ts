import {
  COST_METRICS,
  type CostMetric,
  type Estimate,
  isCostMetric,
  isPerturbationMetric,
  type Measures,
  PERTURBATIONS,
  type PerformanceMetric,
  type Perturbation,
  sliceMetric,
} from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';

/** What a cell is made of: a model's evaluation of a dataset, and of that dataset's perturbed versions. */
export interface CellEvaluations {
  readonly original: Evaluation;
  readonly perturbed: ReadonlyMap<Perturbation, Evaluation>;
}

/** Metrics and costs of one cell under their names; what was not measured is not there. */
export function boardCell(
  { original, perturbed }: CellEvaluations,
  metrics: readonly string[],
  performance: PerformanceMetric,
): Record<string, Estimate> {
  const cell: Record<string, Estimate> = {};
  for (const name of metrics) {
    const estimate = isCostMetric(name)
      ? costOf(original.measures ?? null, name)
      : isPerturbationMetric(name)
        ? perturbed.get(perturbationOf(name))?.metrics?.[name]
        : (original.metrics?.[name] ?? spreadOf(original, name, performance));
    if (estimate) cell[name] = figureOf(estimate);
  }
  return cell;
}

export const perturbationOf = (name: string): Perturbation => PERTURBATIONS.find((kind) => name.startsWith(kind))!;

/** The metric without what an evaluation says beside its figures (which slice was the worst). */
function figureOf({ value, low, high, standardError, contended }: Estimate): Estimate {
  return {
    value,
    low,
    high,
    ...(standardError !== undefined && { standardError }),
    ...(contended && { contended }),
  };
}

function costOf(measures: Measures | null, name: CostMetric): Estimate | null {
  const value = measures?.[name] ?? null;
  return value === null ? null : { value, low: null, high: null, ...(measures?.contended && { contended: true }) };
}

function spreadOf(evaluation: Evaluation, name: string, performance: PerformanceMetric): Estimate | null {
  const slices = sliceMetric(name);
  if (!slices) return null;
  return evaluation.sliceSpreads?.[slices.field]?.[performance]?.[slices.kind] ?? null;
}

/**
 * The metrics that a dataset can give no model, as its content decides them: some model is scored, and none has the figure. Perturbed versions
 * with too few originals, slicing fields without a slice that is large enough, and perturbations of which there is no version.
 * @param versions the perturbations of which the dataset has a version
 */
export function undefinedMetrics(
  cells: readonly CellEvaluations[],
  metrics: readonly string[],
  performance: PerformanceMetric,
  versions: ReadonlySet<Perturbation>,
): string[] {
  return metrics.filter((name) => {
    if (isPerturbationMetric(name)) {
      const kind = perturbationOf(name);
      if (!versions.has(kind)) return true;
      const scored = cells.flatMap(({ perturbed }) => perturbed.get(kind) ?? []).filter(({ perturbed }) => perturbed);
      return scored.length > 0 && scored.every(({ metrics: found }) => !found?.[name]);
    }
    if (!sliceMetric(name)) return false;
    const scored = cells.filter(({ original }) => original.sliceSpreads);
    return scored.length > 0 && scored.every(({ original }) => !spreadOf(original, name, performance));
  });
}

/**
 * The hardware class of a model's costs: that of most cells, of equally many the one that was measured last. Costs of one class alone compare.
 */
export function hardwareOf(evaluations: readonly Evaluation[]): string | null {
  const classes = new Map<string, { count: number; newest: number }>();
  for (const { measures, finishedAt } of evaluations) {
    if (!measures || !Object.keys(COST_METRICS).some((name) => measures[name as CostMetric] !== null)) continue;
    const { count, newest } = classes.get(measures.hardware) ?? { count: 0, newest: 0 };
    classes.set(measures.hardware, { count: count + 1, newest: Math.max(newest, finishedAt?.getTime() ?? 0) });
  }
  const [first] = [...classes].sort(
    ([nameA, a], [nameB, b]) => b.count - a.count || b.newest - a.newest || (nameA < nameB ? -1 : 1),
  );
  return first?.[0] ?? null;
}
