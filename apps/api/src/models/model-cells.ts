import { type EvaluationView, type ModelView } from '@assay/contracts/models';
import { boardMetrics } from '@assay/contracts/tasks';
import { mayReadOutput } from '@assay/evaluation/evaluations';
import { type QueuePlaces, runView } from '@assay/evaluation/runs';
import type { Principal } from '@assay/identity';
import { withoutSingleAnswers } from '@assay/leaderboard/answers';
import { roundedFigures } from '@assay/leaderboard/disclosure';
import type { RetiredKeyAt } from '@assay/leaderboard/results';
import { mayReadExamples, seesRoundedScores, shownDisclosure, type Task } from '@assay/tasks';
import { namedExamples } from '@assay/tasks/examples';
import type { ShownCell, ShownModel } from './shown-model.repository.js';

/** The part of a model's page that shows its run specification, its runs and its cells. */
type CellsView = Pick<
  ModelView,
  | 'artifact'
  | 'supplements'
  | 'awaits'
  | 'measuring'
  | 'awaitsMeasurement'
  | 'repeatability'
  | 'run'
  | 'disclosure'
  | 'evaluations'
>;

interface CellFacts {
  readonly retiredKeyAt: RetiredKeyAt;
  readonly places: QueuePlaces | null;
  /** As of `supplementsEnd`. */
  readonly ends: ReadonlyMap<string, Date>;
}

/** Presents the run specification, the runs and the cells as `principal` may see them. */
export function cellsView(
  principal: Principal | null,
  { kind, task, specification }: ShownModel,
  { retiredKeyAt, places, ends }: CellFacts,
): CellsView {
  if (!specification) return { evaluations: [] };
  const { artifact, repeatability, measuring, awaitsMeasurement, run, cells, supplements } = specification;
  const { digest, size, archivedAt } = artifact;
  return {
    artifact: { digest, size, ...(archivedAt && { archivedAt: new Date(archivedAt).toISOString() }) },
    ...(supplements.length > 0 && { supplements: supplements.map(supplementView) }),
    ...(kind === 'predictions' && { awaits: awaitedDatasets(cells, ends) }),
    ...(run && { run: runView(principal, run, places) }),
    measuring,
    awaitsMeasurement,
    ...(repeatability && { repeatability }),
    ...shownDisclosure(principal, task, cells),
    evaluations: evaluationViews(cells, principal, task, retiredKeyAt),
  };
}

function supplementView({
  failure,
  createdAt,
  archivedAt,
  ...file
}: Supplements[number]): NonNullable<ModelView['supplements']>[number] {
  return {
    ...file,
    ...(failure && { failure }),
    createdAt: new Date(createdAt).toISOString(),
    ...(archivedAt && { archivedAt: new Date(archivedAt).toISOString() }),
  };
}

/**
 * Returns the datasets that the model has no predictions for, before their deadlines: those with readable
 * inputs, and hidden ones whose inputs are shared.
 */
function awaitedDatasets(cells: Cells, ends: ReadonlyMap<string, Date>): NonNullable<ModelView['awaits']> {
  return cells
    .filter(
      ({ perturbation, visibility, inputsUntil, failure }) =>
        !perturbation && (visibility !== 'hidden' || inputsUntil !== null) && failure?.code === 'predictions_awaited',
    )
    .map(({ name, round, use, dataset }) => ({ name, round, use, until: ends.get(dataset) }))
    .filter(({ until }) => until === undefined || until.getTime() > Date.now())
    .map(({ name, round, use, until }) => ({
      dataset: name,
      ...(round !== null && { round }),
      use,
      ...(until && { until: until.toISOString() }),
    }));
}

type Supplements = NonNullable<ShownModel['specification']>['supplements'];
type Cells = NonNullable<ShownModel['specification']>['cells'];

function evaluationViews(
  cells: Cells,
  principal: Principal | null,
  task: ShownModel['task'],
  retiredKeyAt: RetiredKeyAt,
): EvaluationView[] {
  const known = new Map(cells.map((cell) => [cell.id, cell]));
  return cells
    .filter((cell): cell is ShownCell => cell.state !== null)
    .map((cell) => {
      const scoredAt = cell.state === 'scored' && cell.finishedAt !== null ? new Date(cell.finishedAt) : null;
      const retiredKey = retiredKeyAt(scoredAt);
      const { number, examples } = known.get(cell.original ?? cell.id) ?? cell;
      const view = { ...evaluationView(cell, number, task), ...(retiredKey && { retiredKey }) };
      const mayReadAnswers =
        mayReadExamples(principal, task, cell) && mayReadOutput(principal, task, cell.readable ?? true);
      const shown = mayReadAnswers ? view : withoutSingleAnswers(view);
      return seesRoundedScores(principal, task, cell) ? roundedFigures(shown, examples) : shown;
    });
}

/**
 * @param number the number of the dataset version; for a perturbed version, that of its original
 */
const evaluationView = (cell: ShownCell, number: number, task: Pick<Task, 'definition'>): EvaluationView => ({
  ...namedExamples(cell),
  version: number,
  ...(cell.round !== null && { round: cell.round }),
  state: cell.state,
  ...(cell.failure && { failure: cell.failure }),
  examples: cell.examples,
  ...(cell.invalid > 0 && { invalid: cell.invalid }),
  ...(typeof cell.labelDiffers === 'number' && { labelDiffers: cell.labelDiffers }),
  metrics: inOrder(cell.metrics ?? {}, boardMetrics(task.definition)),
  measures: cell.measures ?? {},
  slices: cell.slices ?? {},
  ...(cell.sliceSpreads && Object.keys(cell.sliceSpreads).length > 0 && { sliceSpreads: cell.sliceSpreads }),
  ...(cell.calibration && { calibration: cell.calibration }),
  ...(cell.perturbed && { perturbed: cell.perturbed }),
  ...(cell.signatures && Object.keys(cell.signatures).length > 0 && { signatures: cell.signatures }),
  ...(cell.visibility !== 'hidden' && cell.readable === false && { answersWithdrawn: true }),
  ...(cell.evaluators && { evaluators: cell.evaluators }),
});

/**
 * Returns the entries of `record` in the order of `names`, because the database preserves no order.
 * Entries that the task no longer has come last.
 */
function inOrder<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const known = names.filter((name) => name in record);
  return Object.fromEntries([...new Set([...known, ...Object.keys(record)])].map((name) => [name, record[name]!]));
}
