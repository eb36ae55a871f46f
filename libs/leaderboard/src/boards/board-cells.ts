import {
  COST_METRICS,
  type CostMetric,
  dependsOnContention,
  type Estimate,
  isCostMetric,
  isPerturbationMetric,
  type Measures,
  PERTURBATIONS,
  type PerformanceMetric,
  type Perturbation,
  sliceMetric,
} from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import type { MeasuredSpread } from '@assay/scoring/ranks';
import type { BoardEvaluation } from './board-inputs.repository.js';

/** The evaluations of a cell: those of a model on a dataset and on its perturbed versions. */
export interface CellEvaluations {
  readonly original: BoardEvaluation;
  readonly perturbed: ReadonlyMap<Perturbation, BoardEvaluation>;
}

/** The figures of a cell, of all its examples or of a part of them. */
interface CellFigures {
  readonly original: Partial<Pick<Evaluation, 'metrics' | 'sliceSpreads' | 'measures'>>;
  readonly perturbed: ReadonlyMap<Perturbation, Partial<Pick<Evaluation, 'metrics'>>>;
}

/** Returns the metrics and costs of one cell by name. Those that were not measured are absent. */
export function boardCell(
  { original, perturbed }: CellFigures,
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

/** The part of a cell that was not collected against its model. */
export interface RestOfCell {
  readonly examples: number;
  readonly cell: Readonly<Record<string, Estimate>>;
  readonly scores: readonly NonNullable<Evaluation['rest']>[];
}

/**
 * Returns the cell of a model on the examples of an own round that were written against other models.
 * Null if these are fewer than the task's minimum, or if a metric of the whole cell is undefined on
 * them: the whole cell is then own.
 *
 * @param whole the cell on all examples
 */
export function restOfCell(
  { original, perturbed }: CellEvaluations,
  whole: Readonly<Record<string, Estimate>>,
  metrics: readonly string[],
  { performance, aggregate }: Pick<TaskDefinition, 'performance' | 'aggregate'>,
): RestOfCell | null {
  const { rest } = original;
  if (!rest || rest.examples < aggregate.minimumExamples) return null;
  const parts = [...perturbed].flatMap(([kind, each]) => (each.rest ? [[kind, each.rest] as const] : []));
  const figures = {
    original: { ...rest, measures: original.measures ?? null },
    perturbed: new Map(parts.map(([kind, { metrics: found }]) => [kind, { metrics: found }])),
  };
  const cell = boardCell(figures, metrics, performance);
  if (Object.keys(whole).some((name) => cell[name] === undefined)) return null;
  return { examples: rest.examples, cell, scores: [rest, ...parts.map(([, score]) => score)] };
}

export const perturbationOf = (name: string): Perturbation => PERTURBATIONS.find((kind) => name.startsWith(kind))!;

/** Drops the details of an estimate that are not figures, such as which slice was the worst. */
function figureOf({ value, low, high, standardError, why, band, contended, short }: Estimate): Estimate {
  return {
    value,
    low,
    high,
    ...(standardError !== undefined && { standardError }),
    ...(why !== undefined && { why }),
    ...(band !== undefined && { band }),
    ...(contended && { contended }),
    ...(short && { short }),
  };
}

function costOf(measures: Measures | null, name: CostMetric): Estimate | null {
  const value = measures?.[name] ?? null;
  if (value === null) return null;
  return {
    value,
    low: null,
    high: null,
    ...(measures?.contended && dependsOnContention(name) && { contended: true }),
    ...(measures?.short && name === 'throughput' && { short: true }),
  };
}

/**
 * Returns how far the repeated measurements of each cost differ. For a throughput that was measured once,
 * the passes of its measurement count.
 */
export function costSpreadsOf(measures: Measures): Partial<Record<CostMetric, MeasuredSpread>> {
  const spreads = (Object.keys(COST_METRICS) as CostMetric[]).flatMap((name): [CostMetric, MeasuredSpread][] => {
    const value = measures[name] ?? 0;
    if (value <= 0) return [];
    const repeated = measures.spread?.[name];
    if (typeof repeated === 'number') {
      return [[name, { relative: repeated / value, measurements: measures.repeats ?? SEVERAL }]];
    }
    const ofPasses = name === 'throughput' ? measures.throughput_spread : null;
    return typeof ofPasses === 'number' ? [[name, { relative: ofPasses / value, measurements: SEVERAL }]] : [];
  });
  return Object.fromEntries(spreads);
}

/** The least number of measurements or passes that have a spread. */
const SEVERAL = 2;

function spreadOf(
  evaluation: Partial<Pick<Evaluation, 'sliceSpreads'>>,
  name: string,
  performance: PerformanceMetric,
): Estimate | null {
  const slices = sliceMetric(name);
  if (!slices) return null;
  return evaluation.sliceSpreads?.[slices.field]?.[performance]?.[slices.kind] ?? null;
}

/** The perturbation and slice metrics of a cell. */
export interface DerivedMetrics {
  /** Those that its dataset may define. */
  readonly possible: readonly string[];
  /** Those that the cell has. */
  readonly found: readonly string[];
}

const NO_METRICS: DerivedMetrics = { possible: [], found: [] };

/** Returns the perturbation and slice metrics of a cell, from which `undefinedMetrics` follow. */
export function derivedMetrics(
  { original, perturbed }: CellEvaluations,
  metrics: readonly string[],
  performance: PerformanceMetric,
): DerivedMetrics {
  const possible = metrics.filter((name) =>
    isPerturbationMetric(name)
      ? Boolean(perturbed.get(perturbationOf(name))?.perturbed)
      : sliceMetric(name) !== null && Boolean(original.sliceSpreads),
  );
  if (possible.length === 0) return NO_METRICS;
  const found = possible.filter((name) =>
    isPerturbationMetric(name)
      ? perturbed.get(perturbationOf(name))!.metrics?.[name]
      : spreadOf(original, name, performance),
  );
  return { possible, found };
}

/**
 * Returns the metrics that no model can have on a dataset because of its content: some model is
 * scored there, and none has the figure. The reasons are too few originals with variants, slicing
 * fields without a sufficiently large slice, and perturbations without a version.
 * @param cells all cells of the dataset
 * @param versions the perturbations that the dataset has a version of
 */
export function undefinedMetrics(
  cells: readonly DerivedMetrics[],
  metrics: readonly string[],
  versions: ReadonlySet<Perturbation>,
): string[] {
  const possible = new Set(cells.flatMap((cell) => cell.possible));
  const found = new Set(cells.flatMap((cell) => cell.found));
  return metrics.filter(
    (name) =>
      (isPerturbationMetric(name) && !versions.has(perturbationOf(name))) || (possible.has(name) && !found.has(name)),
  );
}

/**
 * Returns the hardware class of a model's costs. Only costs of the same class are comparable.
 */
export const hardwareOf = (evaluations: readonly BoardEvaluation[]): string | null =>
  mostFrequentHardware(
    evaluations.flatMap(({ measures, finishedAt }) =>
      measures && Object.keys(COST_METRICS).some((name) => typeof measures[name as CostMetric] === 'number')
        ? [{ hardware: measures.hardware, at: finishedAt?.toISOString() ?? '' }]
        : [],
    ),
  );

/**
 * Returns the most frequent hardware class; among equally frequent classes, the one with the newest
 * of the measurements. Null if there are none.
 * @param measured `at` is a time in ISO 8601, or empty
 */
export function mostFrequentHardware(
  measured: readonly { readonly hardware: string; readonly at: string }[],
): string | null {
  const classes = Array.from(
    Map.groupBy(measured, ({ hardware }) => hardware),
    ([name, group]) => ({
      name,
      count: group.length,
      newest: group
        .map(({ at }) => at)
        .sort()
        .at(-1)!,
    }),
  );
  const [first] = classes.sort((a, b) => b.count - a.count || order(b.newest, a.newest) || order(a.name, b.name));
  return first?.name ?? null;
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
