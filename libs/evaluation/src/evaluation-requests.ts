import { failure, type Failure } from '@assay/contracts';
import { DomainError, newId } from '@assay/kernel';
import { type Artifact, lockSpecification, Model, RunSpecification } from '@assay/submissions';
import { markBoardStale, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { tellModels } from './model-events.js';
import { json, refreshModels, settleModels, type RunScope } from './model-states.js';
import { endMeasures, requestMeasures } from './measurements.js';
import { refusalFor } from './refusal.js';
import { RUN_CHANNEL } from './run-channel.js';
import { markScoresStale } from './rescoring.js';
import { ensureRun, liveRun } from './run-request.js';
import { sawOnlyReadable } from './seen-data.js';
import type { RunStage } from './run.js';

/** What a request came to. */
export interface RequestedRun {
  /** The run that will fill what is missing; null where nothing is. */
  readonly run: string | null;
  /** Cells that a run has to fill. */
  readonly missing: number;
}

/** Whether the board is told of models that need no run: who asks for thousands tells it once, at the end. */
type Telling = 'told' | 'left';

// how large an image may be is no part of its specification, so another limit must be able to change the verdict, and another owner may have
// more storage; bytes that were archived may have come back; what was left out because something else failed was never tried
const WORTH_ANOTHER_TRY = `state = 'cancelled' or (state = 'failed' and (failure ->> 'fault' <> 'model'
  or failure ->> 'code' in ('unpacked_too_large', 'storage_quota', 'artifact_archived', 'not_run_again')))`;

/** SQL condition on a row of `model`: its last run failed by its own fault. Archived models can be restored, so they do not count. */
export const FAILED_BY_ITSELF = `model.state = 'failed' and model.failure ->> 'fault' = 'model'
  and model.failure ->> 'code' <> 'artifact_archived'`;

/** Asks for evaluations, again, or no longer. Every method runs in its caller's transaction. */
export class EvaluationRequests {
  /**
   * Asks for what `specification` lacks on the active datasets of `task`: cells that are not there, were cancelled, or failed by no
   * fault of the model. Idempotent, and safe beside itself: there is one cell a dataset version and one live run, whoever asks. The
   * models of the specification get their state; those with nothing missing are scored, or failed, at once.
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
   * The same after a benchmark version was released, without telling the board. Models whose last run failed by their own fault are not run: what
   * they lack fails with `not_run_again` until their owner reruns them.
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
   * Puts the failed and cancelled cells of `model` in the queue again, and those whose answers are withdrawn although their dataset is readable.
   * @throws DomainError `nothing_to_rerun` where there is none, `artifact_archived` where nothing can run
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
   * Asks for the costs of `model` once more: its scores stay as they are.
   * @returns the run that will measure
   * @throws DomainError `no_artifact`, `not_scored`, `nothing_to_measure`, `artifact_archived`, `too_many_measurements`
   */
  async measureAgain(em: EntityManager, model: Model): Promise<string> {
    const { task, specification } = await em.populate(model, ['task', 'specification']);
    if (!specification)
      throw new DomainError('conflict', 'no_artifact', 'This model has no artifact yet: upload it first.');
    await this.lock(em, task.id, specification.id);
    await em.refresh(model);
    return requestMeasures(em, model);
  }

  /** Takes `model` off the board: its costs need not be measured again. What others share with it goes on. */
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
   * Ends the evaluation of `model`, or that its costs are measured again, and tells the worker. What others share with it goes on.
   * @throws DomainError `nothing_to_cancel` where it has ended already
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
    await tellModels(em, { ...scope, model: model.id, event: { type: 'state', state: 'cancelled' } });
    if (specification) await cancelUnshared(em, { specification: specification.id, task: model.task.id });
  }

  private async lock(em: EntityManager, task: string, specification: string): Promise<RunScope> {
    if (!em.isInTransaction()) throw new Error('evaluations are requested within a transaction');
    await em.flush();
    await lockSpecification(em, specification);
    return { specification, task };
  }

  /** One live run for the cells that wait, unless the artifact can't be run at all. */
  private async fill(
    em: EntityManager,
    task: Task,
    { id }: RunSpecification,
    { board, ...scope }: RunScope & { readonly board: Telling },
    active: readonly string[],
  ): Promise<RequestedRun> {
    // read after the lock was taken: admission may have ended while this waited for it
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

/** Predictions are looked at anew for every task: which examples they must cover is the task's matter. */
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
 * Of readable datasets: what was answered by a sandbox that had seen hidden data as well. Scores are replaced once the model has answered again,
 * in a sandbox that sees readable data alone.
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
 * A version whose ids and inputs are those of another version of its dataset (only gold was corrected) needs no run where that was scored:
 * its cell takes the stored predictions, line for line, and what they cost. It stays `queued` until it is scored from them.
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
  /** Cells that a run has to fill. */
  readonly missing: number;
  /** Cells that have their predictions and only wait to be scored. */
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
