import { failure, type Failure } from '@assay/contracts';
import { DomainError, newId } from '@assay/kernel';
import { type Artifact, lockSpecification, Model, RunSpecification } from '@assay/submissions';
import { markBoardStale, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { notifyModels } from './model-events.js';
import { json, refreshModels, settleModels, type RunScope } from './model-states.js';
import { endMeasures, requestMeasures } from './measurements.js';
import { refusalFor } from './refusal.js';
import { RUN_CHANNEL } from './run-channel.js';
import { markScoresStale } from './rescoring.js';
import { ensureRun, liveRun } from './run-request.js';
import { sawOnlyReadable } from './seen-data.js';
import type { RunStage } from './run.js';

/** The result of a request. */
export interface RequestedRun {
  /** The run that will fill the missing cells; null if none is needed. */
  readonly run: string | null;
  /** Cells that need a run. */
  readonly missing: number;
}

/**
 * `told` marks the board as stale if no run is needed. `left` does not: a caller that requests
 * evaluations for thousands of models marks it once, at the end.
 */
type Telling = 'told' | 'left';

// The unpacked size limit is not part of the specification, so another limit must be able to change
// the verdict, and another owner may have more storage. Archived bytes may have been uploaded
// again. Cells that were skipped because of another failure (`not_run_again`) were never tried.
const WORTH_ANOTHER_TRY = `state = 'cancelled' or (state = 'failed' and (failure ->> 'fault' <> 'model'
  or failure ->> 'code' in ('unpacked_too_large', 'storage_quota', 'artifact_archived', 'not_run_again')))`;

/**
 * SQL condition on a row of `model`: its last run failed through its own fault. Archived models do
 * not count, as they can be restored.
 */
export const FAILED_BY_ITSELF = `model.state = 'failed' and model.failure ->> 'fault' = 'model'
  and model.failure ->> 'code' <> 'artifact_archived'`;

/**
 * Requests evaluations, repeats them and cancels them. Every method runs in the transaction of its
 * caller.
 */
export class EvaluationRequests {
  /**
   * Requests the cells that `specification` lacks on the active datasets of `task`: cells that do
   * not exist, were cancelled, or failed through no fault of the model. Idempotent and safe to call
   * concurrently: there is one cell for each dataset version and one live run. Updates the states
   * of the models of the specification; a model without missing cells becomes scored or failed
   * immediately.
   */
  async requestMissing(em: EntityManager, task: Task, specification: RunSpecification): Promise<RequestedRun> {
    const scope = await this.lock(em, task.id, specification.id);
    const active = await activeDatasetVersions(em, task.id);
    await createCells(em, specification.id, active);
    await requeueCells(em, specification.id, active, WORTH_ANOTHER_TRY);
    await takePredictions(em, specification.id, active);
    return this.fill(em, task, specification, { ...scope, board: 'told' }, active);
  }

  /**
   * Does the same as `requestMissing` after a benchmark version was released, but does not mark the
   * board as stale. Models whose last run failed through their own fault are not run: their missing
   * cells fail with `not_run_again` until their owner reruns them.
   */
  async requestReleased(em: EntityManager, task: Task, specification: RunSpecification): Promise<void> {
    const scope = await this.lock(em, task.id, specification.id);
    const active = await activeDatasetVersions(em, task.id);
    const hasFailed = await failedByItself(em, scope);
    await createCells(em, specification.id, active);
    if (!hasFailed) await requeueCells(em, specification.id, active, WORTH_ANOTHER_TRY);
    await takePredictions(em, specification.id, active);
    if (hasFailed) await failCells(em, specification.id, active, notRunAgain());
    await this.fill(em, task, specification, { ...scope, board: 'left' }, active);
  }

  /**
   * Puts the failed and cancelled cells of `model` back into the queue, and also the cells on
   * readable datasets whose answers are withdrawn.
   * @throws DomainError `nothing_to_rerun` if there is no such cell, `artifact_archived` if the
   * model cannot run
   */
  async rerun(em: EntityManager, model: Model): Promise<RequestedRun> {
    const { task, specification } = await em.populate(model, ['task', 'specification.artifact']);
    if (!specification) throw nothingToRerun();
    if (specification.artifact.archivedAt) {
      throw new DomainError('conflict', 'artifact_archived', 'This model is archived: upload its artifact again.');
    }

    const scope = await this.lock(em, task.id, specification.id);
    await em.refresh(model);
    const active = await activeDatasetVersions(em, task.id);
    await createCells(em, specification.id, active);
    const again = await requeueCells(em, specification.id, active, `state in ('failed', 'cancelled')`);
    await takePredictions(em, specification.id, active);
    const withdrawn = await requeueWithdrawn(em, specification, active);
    if (again + withdrawn === 0 && model.state !== 'failed' && model.state !== 'cancelled') throw nothingToRerun();

    await em.execute(`update model set state = 'queued', failure = null where id = ?`, [model.id]);
    await forgetRefusal(em, specification.artifact);
    return this.fill(em, task, specification, { ...scope, board: 'told' }, active);
  }

  /**
   * Requests another measurement of the costs of `model`. Its scores do not change.
   * @returns the ID of the run that will measure
   * @throws DomainError `no_artifact`, `not_scored`, `nothing_to_measure`, `artifact_archived`
   * @throws RefusedForNow `too_many_measurements`
   */
  async remeasure(em: EntityManager, model: Model): Promise<string> {
    const { task, specification } = await em.populate(model, ['task', 'specification']);
    if (!specification)
      throw new DomainError('conflict', 'no_artifact', 'This model has no artifact yet: upload it first.');
    await this.lock(em, task.id, specification.id);
    await em.refresh(model);
    return requestMeasures(em, model);
  }

  /**
   * Takes `model` off the board and cancels a repeated measurement of its costs. Runs that other
   * models share continue.
   */
  async withdraw(em: EntityManager, model: Model): Promise<void> {
    const { task, specification } = model;
    if (specification) {
      await this.lock(em, task.id, specification.id);
      await endMeasures(em, model);
    }
    model.withdrawn = true;
    markBoardStale(em, task.id);
  }

  /**
   * Cancels the evaluation of `model`, or the repeated measurement of its costs, and notifies the
   * worker. Runs that other models share continue.
   * @throws DomainError `nothing_to_cancel` if it has already ended
   */
  async cancel(em: EntityManager, model: Model): Promise<void> {
    const specification = model.specification;
    if (specification) await this.lock(em, model.task.id, specification.id);
    await em.refresh(model);
    if (model.state === 'scored' && (await endMeasures(em, model))) return;
    if (model.state === 'scored' || model.state === 'failed' || model.state === 'cancelled') {
      throw new DomainError('conflict', 'nothing_to_cancel', `This model is ${model.state} already.`);
    }

    model.state = 'cancelled';
    model.failure = null;
    await em.flush();
    const scope = { specification: specification?.id ?? null, task: model.task.id };
    await notifyModels(em, { ...scope, model: model.id, event: { type: 'state', state: 'cancelled' } });
    if (specification) await cancelUnshared(em, { specification: specification.id, task: model.task.id });
  }

  private async lock(em: EntityManager, task: string, specification: string): Promise<RunScope> {
    if (!em.isInTransaction()) throw new Error('evaluations are requested within a transaction');
    await em.flush();
    await lockSpecification(em, specification);
    return { specification, task };
  }

  /**
   * Ensures that one live run exists for the queued cells. If the artifact cannot run, the cells
   * fail instead.
   */
  private async fill(
    em: EntityManager,
    task: Task,
    { id }: RunSpecification,
    { board, ...scope }: RunScope & { readonly board: Telling },
    active: readonly string[],
  ): Promise<RequestedRun> {
    // read again after the lock was taken: admission may have ended in the meantime
    const specification = await em.findOneOrFail(RunSpecification, id, { populate: ['artifact'], refresh: true });
    const refusal = refusalFor(specification.artifact, task.definition.limits.unpacked);
    if (refusal) await failCells(em, id, active, refusal);

    const { missing, unscored } = await countWaiting(em, id, active);
    if (unscored > 0) markScoresStale(em, task.id);
    const { artifact } = specification;
    const unseen = !refusal && artifact.state === 'received' && artifact.kind !== 'predictions';
    const run =
      missing > 0 || unseen ? await ensureRun(em, { specification, task: task.id }, stageFor(artifact)) : null;

    await settleModels(em, scope);
    if (!run && board === 'told') markBoardStale(em, task.id);
    await em.flush();
    return { run, missing };
  }
}

/**
 * Predictions files are admitted again for every task, as each task has its own examples that they
 * must cover.
 */
function stageFor(artifact: Artifact): RunStage {
  return artifact.kind === 'predictions' || artifact.state !== 'admitted' ? 'admission' : 'evaluation';
}

async function failedByItself(em: EntityManager, { specification, task }: RunScope): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from model where specification_id = ? and task_id = ? and not withdrawn and ${FAILED_BY_ITSELF} limit 1`,
    [specification, task],
  );
  return rows.length > 0;
}

const notRunAgain = (): Failure =>
  failure('not_run_again', 'The model was not run on this dataset because its last run on another one failed.');

async function createCells(em: EntityManager, specification: string, active: readonly string[]): Promise<void> {
  if (active.length === 0) return;
  const rows = active.map(() => `(?, ?, ?, 'queued', 0, now())`).join(', ');
  await em.execute(
    `insert into evaluation (id, specification_id, dataset_version_id, state, invalid, created_at) values ${rows}
      on conflict (specification_id, dataset_version_id) do nothing`,
    active.flatMap((version) => [newId(), specification, version]),
  );
}

async function requeueCells(
  em: EntityManager,
  specification: string,
  active: readonly string[],
  which: string,
): Promise<number> {
  const rows = await em.execute<unknown[]>(
    `update evaluation set state = 'queued', failure = null, run = null, finished_at = null
      where specification_id = ? and dataset_version_id = any(?::uuid[]) and (${which}) returning id`,
    [specification, uuidArray(active)],
  );
  return rows.length;
}

/**
 * Puts cells on readable datasets back into the queue if their sandbox had, or may have, seen
 * hidden data as well. The old scores remain until the model has answered again in a sandbox that
 * sees only readable data.
 */
async function requeueWithdrawn(
  em: EntityManager,
  { id, artifact }: RunSpecification,
  active: readonly string[],
): Promise<number> {
  if (artifact.kind === 'predictions') return 0;
  const rows = await em.execute<unknown[]>(
    `update evaluation set state = 'queued', run = null, finished_at = null, predictions = null, seen = null
       from dataset_version as version join dataset as own on own.id = version.dataset_id
      where version.id = evaluation.dataset_version_id and own.visibility <> 'hidden'
        and evaluation.specification_id = ? and evaluation.dataset_version_id = any(?::uuid[])
        and evaluation.state = 'scored' and evaluation.predictions is not null
        and not ${sawOnlyReadable('evaluation.seen')}
      returning evaluation.id`,
    [id, uuidArray(active)],
  );
  return rows.length;
}

async function failCells(
  em: EntityManager,
  specification: string,
  active: readonly string[],
  refusal: Failure,
): Promise<void> {
  await em.execute(
    `update evaluation set state = 'failed', failure = ?::jsonb, finished_at = now()
      where specification_id = ? and dataset_version_id = any(?::uuid[]) and state = 'queued' and predictions is null`,
    [json(refusal), specification, uuidArray(active)],
  );
}

/**
 * Copies stored predictions to cells that need no run. If only gold outputs were corrected, a
 * dataset version has the same IDs and inputs as another version of its dataset. If that version
 * was scored, the cell takes its predictions, line for line, and its costs. The cell stays `queued`
 * until it is scored from them.
 */
async function takePredictions(em: EntityManager, specification: string, active: readonly string[]): Promise<void> {
  await em.execute(
    `update evaluation as cell set predictions = earlier.predictions, seen = earlier.seen, measures = earlier.measures,
         invalid = earlier.invalid
       from (
         select distinct on (cell.id) cell.id, done.predictions, done.seen, done.measures, done.invalid
           from evaluation as cell
           join dataset_version as version on version.id = cell.dataset_version_id
           join dataset_version as other on other.dataset_id = version.dataset_id
             and other.inputs_digest = version.inputs_digest and other.id <> version.id
           join evaluation as done on done.dataset_version_id = other.id
             and done.specification_id = cell.specification_id
          where cell.specification_id = ? and cell.dataset_version_id = any(?::uuid[])
            and cell.state = 'queued' and cell.predictions is null
            and done.state = 'scored' and done.predictions is not null
          order by cell.id, done.finished_at desc
       ) as earlier
      where cell.id = earlier.id`,
    [specification, uuidArray(active)],
  );
}

interface Waiting {
  /** Cells that need a run. */
  readonly missing: number;
  /** Cells that have predictions and only wait to be scored. */
  readonly unscored: number;
}

async function countWaiting(em: EntityManager, specification: string, active: readonly string[]): Promise<Waiting> {
  const [row] = await em.execute<Waiting[]>(
    `select count(*) filter (where predictions is null)::int as missing,
        count(*) filter (where predictions is not null)::int as unscored
      from evaluation
      where specification_id = ? and dataset_version_id = any(?::uuid[]) and state in ('queued', 'running')`,
    [specification, uuidArray(active)],
  );
  return row ?? { missing: 0, unscored: 0 };
}

async function forgetRefusal(em: EntityManager, artifact: Artifact): Promise<void> {
  await em.execute(`update artifact set state = 'received', failure = null where id = ? and state = 'refused'`, [
    artifact.id,
  ]);
}

async function cancelUnshared(em: EntityManager, scope: RunScope): Promise<void> {
  const others = await em.count(Model, { ...scope, state: { $in: ['admitting', 'queued', 'running'] } });
  if (others > 0) return;

  const run = await liveRun(em, scope);
  if (!run) return;
  await em.execute(
    `update run set state = 'cancelled', fence = fence + 1, lease_until = null, finished_at = now() where id = ?`,
    [run.id],
  );
  await em.execute(
    `update evaluation set state = 'cancelled', finished_at = now() where specification_id = ?
        and dataset_version_id = any(?::uuid[]) and state in ('queued', 'running') and predictions is null`,
    [scope.specification, uuidArray(await activeDatasetVersions(em, scope.task))],
  );
  await em.execute('select pg_notify(?, ?)', [RUN_CHANNEL, run.id]);
  await refreshModels(em, scope);
}

const nothingToRerun = (): DomainError =>
  new DomainError(
    'conflict',
    'nothing_to_rerun',
    'No evaluation of this model has failed, was cancelled or has answers that are withdrawn.',
  );
