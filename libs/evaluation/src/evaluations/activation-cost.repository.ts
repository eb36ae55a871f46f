import { Repository, uuidArray } from '@assay/persistence/queries';
import { FAILED_BY_ITSELF } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { refusedSql } from '../runs/refusal.js';
import { REGISTERED_EVALUATOR, runnableSql } from '../runs/runnable-on.js';
import { curableSql } from './evaluation.repository.js';

/** Numbers of cells, and the time that they take. */
export interface ActivationCost {
  /** Cells that need a run. A predictions file that may have the answers counts; it takes no time. */
  readonly evaluations: number;
  /** Cells that are scored from stored predictions, because only gold outputs were corrected. */
  readonly rescored: number;
  /** Cells that stay without a score, because their model cannot run or is not run again. */
  readonly cannotRun: number;
  /**
   * The estimated duration of the runs in seconds, from the last measured throughput of each model.
   * Null if a model that needs a run has none.
   */
  readonly estimatedSeconds: number | null;
}

/** SQL for the condition that a model of `specification` failed through its own fault. */
const HAS_FAILED = `exists (select 1 from model where model.specification_id = specification.id and model.task_id = task.id
  and not model.withdrawn and ${FAILED_BY_ITSELF})`;

/**
 * SQL for the condition that a predictions file has no answers to a dataset, because it is older. A file
 * names only datasets of the task, so it was admitted after they were created.
 */
const LACKS_ANSWERS = `exists (select 1 from model where model.specification_id = specification.id and model.task_id = task.id
  and model.first_scored_at < dataset.created_at)`;

/** SQL for the condition that evaluators are registered, but none of them may run the model. */
const HAS_NO_EVALUATOR = `exists (select 1 from evaluator where evaluator.state = 'active' and evaluator.host is not null)
  and not exists (select 1 from evaluator where evaluator.state = 'active' and ${runnableSql(REGISTERED_EVALUATOR)})`;

/** The cost of activating dataset versions. */
export class ActivationCostRepository extends Repository {
  /**
   * Counts the cells that the release of a benchmark version with `versions` adds or queues again, for
   * all models of the task that are neither withdrawn nor cancelled. `EvaluationRequests.requestReleased`
   * requests them.
   */
  of(task: Pick<Task, 'id' | 'definition'>, versions: readonly Pick<DatasetVersion, 'id'>[]): Promise<ActivationCost> {
    return this.row<ActivationCost>(
      `with requested as (
         select version.examples, artifact.kind = 'predictions' as "isFile",
             (${HAS_FAILED} or ${refusedSql('asked.unpacked')}
               or case artifact.kind when 'predictions' then ${LACKS_ANSWERS} else ${HAS_NO_EVALUATOR} end) as stuck,
             exists (select 1 from evaluation as done join dataset_version as other on other.id = done.dataset_version_id
               where done.specification_id = specification.id and done.state = 'scored' and done.predictions is not null
                 and other.dataset_id = version.dataset_id and other.inputs_digest = version.inputs_digest) as known,
             (select nullif((measured.measures ->> 'throughput')::float8, 0) from evaluation as measured
               join dataset_version as other on other.id = measured.dataset_version_id
               join dataset on dataset.id = other.dataset_id
               where measured.specification_id = specification.id and dataset.task_id = task.id and measured.measures is not null
               order by measured.finished_at desc nulls last limit 1) as speed
           from (select ?::uuid[] as versions, ?::uuid as task, ?::numeric as unpacked) as asked
           join task on task.id = asked.task
           join run_specification as specification on specification.id in (select specification_id from model
               where task_id = asked.task and not withdrawn and state <> 'cancelled')
           join artifact on artifact.id = specification.artifact_id
           join dataset_version as version on version.id = any(asked.versions)
           join dataset on dataset.id = version.dataset_id
           left join evaluation as cell on cell.specification_id = specification.id and cell.dataset_version_id = version.id
          where cell.id is null or ${curableSql('cell')} and not ${HAS_FAILED}
            -- a cancelled cell with a reason is one that a predictions file has no answers to
            and (cell.state <> 'cancelled' or cell.failure is null)
       ),
       ran as (select * from requested where not known and not stuck)
       select (select count(*) from ran)::int as evaluations,
           (select count(*) from requested where known)::int as rescored,
           (select count(*) from requested where stuck and not known)::int as "cannotRun",
           (select case when bool_or(speed is null) then null else coalesce(sum(examples / speed), 0) end
              from ran where not "isFile") as "estimatedSeconds"`,
      [uuidArray(versions.map(({ id }) => id)), task.id, task.definition.limits.unpacked],
    );
  }
}
