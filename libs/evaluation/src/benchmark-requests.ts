import type { EventMap } from '@assay/contracts';
import { inTransaction, uuidArray } from '@assay/persistence';
import { RunSpecification } from '@assay/submissions';
import { type DatasetVersion, markBoardStale, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { EvaluationRequests, FAILED_BY_ITSELF } from './evaluation-requests.js';

export interface ActivationCost {
  /** Cells that need a run. */
  readonly evaluations: number;
  /** Cells that are scored from stored predictions, because only gold outputs were corrected. */
  readonly rescored: number;
  /**
   * The estimated duration of the runs, from the last measured throughput of each model. Null if a
   * model that needs a run has none.
   */
  readonly estimatedSeconds: number | null;
}

/**
 * Requests the missing cells of all models of a task after a new benchmark version was released,
 * then marks the board as stale. Idempotent.
 * @param milliseconds the time after which the rest is left for a later call, as there may be
 * thousands of models
 * @returns the event for the remaining models; null if none remain
 */
export async function requestForAllModels(
  em: EntityManager,
  { taskId, behind }: EventMap['benchmark.released'],
  milliseconds = Infinity,
): Promise<EventMap['benchmark.released'] | null> {
  const late = performance.now() + milliseconds;
  const ids = (await specificationsOf(em, taskId)).filter((id) => behind === undefined || id > behind);
  for (const [place, id] of ids.entries()) {
    await inTransaction(em, async (tx) => {
      const task = await tx.findOneOrFail(Task, taskId);
      const specification = await tx.findOneOrFail(RunSpecification, id, { populate: ['artifact'] });
      await new EvaluationRequests().requestReleased(tx, task, specification);
    });
    if (performance.now() > late && place < ids.length - 1) return { taskId, behind: id };
  }
  const own = em.fork();
  markBoardStale(own, taskId);
  await own.flush();
  return null;
}

/**
 * Returns the cost of activating `versions`: the cells to evaluate and rescore for all models of
 * the task that are neither withdrawn nor cancelled.
 */
export async function activationCost(
  em: EntityManager,
  task: Task,
  versions: readonly DatasetVersion[],
): Promise<ActivationCost> {
  const specifications = await specificationsOf(em, task.id);
  const [cost] = await em.execute<ActivationCost[]>(COST, [
    uuidArray(specifications),
    uuidArray(versions.map(({ id }) => id)),
    task.id,
  ]);
  return cost!;
}

/**
 * Counts the cells that do not exist yet: those that can use stored predictions (`rescored`) and
 * those that need a run (`evaluations`). An archived artifact cannot run, and a model that failed
 * through its own fault is not run again.
 */
const COST = `
  with lacking as (
    select version.examples, (artifact.archived_at is not null or exists (select 1 from model
          where model.specification_id = specification.id and model.task_id = wanted.task and not model.withdrawn
            and ${FAILED_BY_ITSELF})) as gone,
        exists (select 1 from evaluation as done join dataset_version as other on other.id = done.dataset_version_id
          where done.specification_id = specification.id and done.state = 'scored' and done.predictions is not null
            and other.dataset_id = version.dataset_id and other.inputs_digest = version.inputs_digest) as known,
        (select nullif((measured.measures ->> 'throughput')::float8, 0) from evaluation as measured
          join dataset_version as other on other.id = measured.dataset_version_id
          join dataset on dataset.id = other.dataset_id
          where measured.specification_id = specification.id and dataset.task_id = wanted.task and measured.measures is not null
          order by measured.finished_at desc nulls last limit 1) as speed
      from (select ?::uuid[] as specifications, ?::uuid[] as versions, ?::uuid as task) as wanted
      join run_specification as specification on specification.id = any(wanted.specifications)
      join artifact on artifact.id = specification.artifact_id
      join dataset_version as version on version.id = any(wanted.versions)
     where not exists (select 1 from evaluation as cell
          where cell.specification_id = specification.id and cell.dataset_version_id = version.id)
  )
  select count(*) filter (where not known and not gone)::int as evaluations, count(*) filter (where known)::int as rescored,
      case when bool_or(speed is null) filter (where not known and not gone) then null
        else coalesce(sum(examples / speed) filter (where not known and not gone), 0) end as "estimatedSeconds"
    from lacking`;

/**
 * Returns the sorted IDs of the specifications of the task's models that are neither withdrawn nor
 * cancelled.
 */
async function specificationsOf(em: EntityManager, task: string): Promise<readonly string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select distinct specification_id as id from model
      where task_id = ? and not withdrawn and specification_id is not null and state <> 'cancelled' order by specification_id`,
    [task],
  );
  return rows.map(({ id }) => id);
}
