import { boardMetrics, type EvaluationView, type Failure, type ModelView } from '@assay/contracts';
import { type RunProgress, liveRunJson, runView } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import type { Model } from '@assay/submissions';
import { type Dataset, mayReadExamples, namedExamples, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { withoutSingleAnswers } from './shown-figures.js';

/** What a model's page shows of its specification, its runs and its cells. */
export type CellsView = Pick<ModelView, 'artifact' | 'measuring' | 'repeatability' | 'run' | 'evaluations'>;

/** A dataset version in force, with what the model scored on it. */
interface Cell
  extends
    Pick<EvaluationView, 'state' | 'examples' | 'slices' | 'measures' | 'metrics'>,
    Pick<Dataset, 'name' | 'perturbation' | 'visibility'> {
  readonly id: string;
  readonly number: number;
  readonly original: string | null;
  readonly round: number | null;
  readonly failure: Failure | null;
  readonly invalid: number;
  readonly sliceSpreads: EvaluationView['sliceSpreads'] | null;
  readonly calibration: EvaluationView['calibration'] | null;
  readonly perturbed: EvaluationView['perturbed'] | null;
}

interface ModelRow {
  readonly digest: string;
  readonly size: string;
  readonly archived_at: string | null;
  readonly repeatability: ModelView['repeatability'] | null;
  readonly run: RunProgress | null;
  readonly measuring: boolean;
  readonly cells: readonly (Omit<Cell, 'state'> & { readonly state: Cell['state'] | null })[];
}

/**
 * Of a model that has an artifact; as `principal` may see it. By one query, and without entities: a page that many read is no place to make
 * them of what is only shown.
 */
export async function cellsView(em: EntityManager, principal: Principal | null, model: Model): Promise<CellsView> {
  const { task } = model;
  const [row] = await em.execute<ModelRow[]>(
    `select a.digest, a.size::text as size, a.archived_at, s.repeatability, ${liveRunJson('s.id', 't.id')} as run,
        exists (
          select 1 from run where specification_id = s.id and task_id = t.id and purpose = 'measures' and state in ('queued', 'leased')
        ) as measuring,
        (select coalesce(json_agg(json_build_object(
            'id', v.id, 'number', v.number, 'original', v.original_id, 'examples', v.examples, 'name', d.name, 'round', d.round,
            'perturbation', d.perturbation, 'visibility', d.visibility, 'state', e.state, 'failure', e.failure, 'invalid', e.invalid,
            'metrics', e.metrics, 'measures', e.measures, 'slices', e.slices, 'sliceSpreads', e.slice_spreads,
            'calibration', e.calibration, 'perturbed', e.perturbed) order by d.created_at), '[]')
          from dataset_version v join dataset d on d.id = v.dataset_id
          left join evaluation e on e.dataset_version_id = v.id and e.specification_id = s.id
          where d.task_id = t.id and v.status = 'active') as cells
       from run_specification s join artifact a on a.id = s.artifact_id join task t on t.id = ? where s.id = ?`,
    [task.id, model.specification!.id],
  );
  const { digest, size, archived_at: archivedAt, repeatability, measuring, run, cells } = row!;
  return {
    artifact: { digest, size: Number(size), ...(archivedAt && { archivedAt: new Date(archivedAt).toISOString() }) },
    ...(run && { run: runView(run) }),
    measuring,
    ...(repeatability && { repeatability }),
    evaluations: evaluationViews(cells, principal, task),
  };
}

function evaluationViews(cells: ModelRow['cells'], principal: Principal | null, task: Task): EvaluationView[] {
  const numbers = new Map(cells.map(({ id, number }) => [id, number]));
  return cells
    .filter((cell): cell is Cell => cell.state !== null)
    .map((cell) => {
      const view = evaluationView(cell, numbers.get(cell.original ?? cell.id) ?? cell.number, task);
      return mayReadExamples(principal, task, cell) ? view : withoutSingleAnswers(view);
    });
}

/** @param number of the version; of a perturbed one that of its original */
const evaluationView = (cell: Cell, number: number, task: Task): EvaluationView => ({
  ...namedExamples(cell),
  version: number,
  ...(cell.round !== null && { round: cell.round }),
  state: cell.state,
  ...(cell.failure && { failure: cell.failure }),
  examples: cell.examples,
  ...(cell.invalid > 0 && { invalid: cell.invalid }),
  metrics: inOrder(cell.metrics ?? {}, boardMetrics(task.definition)),
  measures: cell.measures ?? {},
  slices: cell.slices ?? {},
  ...(cell.sliceSpreads && Object.keys(cell.sliceSpreads).length > 0 && { sliceSpreads: cell.sliceSpreads }),
  ...(cell.calibration && { calibration: cell.calibration }),
  ...(cell.perturbed && { perturbed: cell.perturbed }),
});

/** The entries of `record` in the order of `names`: the database keeps none. What the task has no more comes last. */
function inOrder<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const known = names.filter((name) => name in record);
  return Object.fromEntries([...new Set([...known, ...Object.keys(record)])].map((name) => [name, record[name]!]));
}
