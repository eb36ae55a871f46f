import { boardMetrics, type EvaluationView, type Failure, type ModelView } from '@assay/contracts';
import { runProgress } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import type { Model } from '@assay/submissions';
import { type Dataset, mayReadExamples, namedExamples, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { withoutSingleAnswers } from './shown-figures.js';

/** What a model's page shows of its specification and its runs. */
export type SpecificationView = Pick<ModelView, 'artifact' | 'measuring' | 'repeatability' | 'run'>;

interface SpecificationRow {
  readonly digest: string;
  readonly size: string;
  readonly archived_at: string | null;
  readonly repeatability: ModelView['repeatability'] | null;
  readonly measuring: boolean;
}

interface CellRow
  extends
    Pick<EvaluationView, 'state' | 'examples' | 'slices' | 'measures' | 'metrics'>,
    Pick<Dataset, 'name' | 'perturbation' | 'visibility'> {
  readonly id: string;
  readonly number: number;
  readonly original_id: string | null;
  readonly round: number | null;
  readonly failure: Failure | null;
  readonly invalid: number;
  readonly slice_spreads: EvaluationView['sliceSpreads'] | null;
  readonly calibration: EvaluationView['calibration'] | null;
  readonly perturbed: EvaluationView['perturbed'] | null;
}

/** Of a model that has an artifact. By queries of their own: a page that many read is no place to make entities of what is only shown. */
export async function specificationView(em: EntityManager, model: Model): Promise<SpecificationView> {
  const scope = { specification: model.specification!.id, task: model.task.id };
  const [row] = await em.execute<SpecificationRow[]>(
    `select a.digest, a.size::text as size, a.archived_at, s.repeatability, exists (
         select 1 from run where specification_id = s.id and task_id = ? and purpose = 'measures' and state in ('queued', 'leased')
       ) as measuring
       from run_specification s join artifact a on a.id = s.artifact_id where s.id = ?`,
    [scope.task, scope.specification],
  );
  const { digest, size, archived_at: archivedAt, repeatability, measuring } = row!;
  const run = await runProgress(em, scope);
  return {
    artifact: { digest, size: Number(size), ...(archivedAt && { archivedAt: new Date(archivedAt).toISOString() }) },
    ...(run && { run }),
    measuring,
    ...(repeatability && { repeatability }),
  };
}

/** Of a model that has an artifact, on every dataset version in force; as `principal` may see it. */
export async function evaluationViews(
  em: EntityManager,
  principal: Principal | null,
  { specification, task }: Model,
): Promise<EvaluationView[]> {
  const rows = await em.execute<(CellRow & { readonly state: CellRow['state'] | null })[]>(
    `select v.id, v.number, v.original_id, v.examples, d.name, d.round, d.perturbation, d.visibility,
        e.state, e.failure, e.invalid, e.metrics, e.measures, e.slices, e.slice_spreads, e.calibration, e.perturbed
       from dataset_version v join dataset d on d.id = v.dataset_id
       left join evaluation e on e.dataset_version_id = v.id and e.specification_id = ?
      where d.task_id = ? and v.status = 'active' order by d.created_at`,
    [specification!.id, task.id],
  );
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return rows
    .filter((row): row is CellRow => row.state !== null)
    .map((row) => {
      const view = evaluationView(row, numbers.get(row.original_id ?? row.id) ?? row.number, task);
      return mayReadExamples(principal, task, row) ? view : withoutSingleAnswers(view);
    });
}

/** @param number of the version; of a perturbed one that of its original */
const evaluationView = (row: CellRow, number: number, task: Task): EvaluationView => ({
  ...namedExamples(row),
  version: number,
  ...(row.round !== null && { round: row.round }),
  state: row.state,
  ...(row.failure && { failure: row.failure }),
  examples: row.examples,
  ...(row.invalid > 0 && { invalid: row.invalid }),
  metrics: inOrder(row.metrics ?? {}, boardMetrics(task.definition)),
  measures: row.measures ?? {},
  slices: row.slices ?? {},
  ...(row.slice_spreads && Object.keys(row.slice_spreads).length > 0 && { sliceSpreads: row.slice_spreads }),
  ...(row.calibration && { calibration: row.calibration }),
  ...(row.perturbed && { perturbed: row.perturbed }),
});

/** The entries of `record` in the order of `names`: the database keeps none. What the task has no more comes last. */
function inOrder<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const known = names.filter((name) => name in record);
  return Object.fromEntries([...new Set([...known, ...Object.keys(record)])].map((name) => [name, record[name]!]));
}
