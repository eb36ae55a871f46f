import { Repository, uuidArray } from '@assay/persistence/queries';
import { FAILED_BY_ITSELF } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';

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

/** The cost of activating dataset versions. */
export class ActivationCostRepository extends Repository {
  /**
   * Counts the cells that `versions` add for all models of the task that are neither withdrawn nor
   * cancelled: those that can use stored predictions (`rescored`) and those that need a run
   * (`evaluations`). An archived artifact cannot run, and a model that failed through its own fault
   * is not run again.
   */
  of(task: Pick<Task, 'id'>, versions: readonly Pick<DatasetVersion, 'id'>[]): Promise<ActivationCost> {
    return this.row<ActivationCost>(
      `with lacking as (
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
           from (select ?::uuid[] as versions, ?::uuid as task) as wanted
           join run_specification as specification on specification.id in (select specification_id from model
               where task_id = ?::uuid and not withdrawn and state <> 'cancelled')
           join artifact on artifact.id = specification.artifact_id
           join dataset_version as version on version.id = any(wanted.versions)
          where not exists (select 1 from evaluation as cell
               where cell.specification_id = specification.id and cell.dataset_version_id = version.id)
       )
       select count(*) filter (where not known and not gone)::int as evaluations, count(*) filter (where known)::int as rescored,
           case when bool_or(speed is null) filter (where not known and not gone) then null
             else coalesce(sum(examples / speed) filter (where not known and not gone), 0) end as "estimatedSeconds"
         from lacking`,
      [uuidArray(versions.map(({ id }) => id)), task.id, task.id],
    );
  }
}
