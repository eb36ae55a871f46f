import { type Failure, failure } from '@assay/contracts/models';
import type { EventMap } from '@assay/contracts/webhooks';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { Model, ModelRepository, RunSpecification, RunSpecificationRepository } from '@assay/submissions';
import { type Artifact, ArtifactRepository } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { markBoardStale } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeCells, type Cells } from './active-datasets.js';
import { EvaluationRepository } from './evaluation.repository.js';
import { notifyModels } from '../model-events.js';
import { refreshModels, settleModels } from '../outcomes/model-states.js';
import { endMeasures, requestMeasures } from './measurements.js';
import { refusalFor } from '../runs/refusal.js';
import { ensureRun } from '../runs/run-request.js';
import { RunRepository } from '../runs/run.repository.js';
import type { RunScope, RunStage } from '../runs/run.js';

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
    const { scope, cells, evaluations } = await this.allCells(em, task, specification);
    await evaluations.requeue(cells, 'curable');
    await evaluations.takePredictions(cells);
    return this.fill(em, task, specification, { ...scope, board: 'told' }, cells);
  }

  /**
   * Does the same as `requestMissing` after a benchmark version was released, but does not mark the
   * board as stale. Models whose last run failed through their own fault are not run: their missing
   * cells fail with `not_run_again` until their owner reruns them.
   */
  async requestReleased(em: EntityManager, task: Task, specification: RunSpecification): Promise<void> {
    const { scope, cells, evaluations } = await this.allCells(em, task, specification);
    const hasFailed = await new ModelRepository(em).anyFailedByItself(scope);
    if (!hasFailed) await evaluations.requeue(cells, 'curable');
    await evaluations.takePredictions(cells);
    if (hasFailed) {
      const why = 'The model was not run on this dataset because its last run on another one failed.';
      await failQueued(evaluations, cells, failure('not_run_again', why));
    }
    await this.fill(em, task, specification, { ...scope, board: 'left' }, cells);
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
      const sentence = 'The artifact of this model is archived. Upload it again.';
      throw new DomainError('conflict', 'artifact_archived', sentence);
    }

    const { scope, cells, evaluations } = await this.allCells(em, task, specification);
    await em.refresh(model);
    const again = await evaluations.requeue(cells, 'all');
    await evaluations.takePredictions(cells);
    const isRun = specification.artifact.kind !== 'predictions';
    const withdrawn = isRun ? await evaluations.requeueWithdrawn(cells) : 0;
    if (again + withdrawn === 0 && model.state !== 'failed' && model.state !== 'cancelled') throw nothingToRerun();

    await new ModelRepository(em).requeue(model.id);
    await new ArtifactRepository(em).forgetRefusal(specification.artifact.id);
    return this.fill(em, task, specification, { ...scope, board: 'told' }, cells);
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
      throw new DomainError('conflict', 'no_artifact', 'This model has no artifact yet. Upload it first.');
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
      throw new DomainError('conflict', 'nothing_to_cancel', `This model is already ${model.state}.`);
    }

    model.cancel();
    await em.flush();
    const scope = { specification: specification?.id ?? null, task: model.task.id };
    await notifyModels(em, { ...scope, model: model.id, event: { type: 'state', state: 'cancelled' } });
    if (specification) await cancelUnshared(em, { specification: specification.id, task: model.task.id });
  }

  /** Locks the specification, and creates the cells that it lacks on the active datasets of the task. */
  private async allCells(em: EntityManager, task: Pick<Task, 'id'>, { id }: Pick<RunSpecification, 'id'>) {
    const scope = await this.lock(em, task.id, id);
    const cells = await activeCells(em, scope);
    const evaluations = new EvaluationRepository(em);
    await evaluations.create(cells);
    return { scope, cells, evaluations };
  }

  private async lock(em: EntityManager, task: string, specification: string): Promise<RunScope> {
    if (!em.isInTransaction()) throw new Error('evaluations must be requested within a transaction');
    await em.flush();
    await new RunSpecificationRepository(em).lock(specification);
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
    cells: Cells,
  ): Promise<RequestedRun> {
    // read again after the lock was taken: admission may have ended in the meantime
    const specification = await em.findOneOrFail(RunSpecification, id, { populate: ['artifact'], refresh: true });
    const refusal = refusalFor(specification.artifact, task.definition.limits.unpacked);
    const evaluations = new EvaluationRepository(em);
    if (refusal) await failQueued(evaluations, cells, refusal);

    const { missing, unscored } = await evaluations.countWaiting(cells);
    if (unscored > 0) Outbox.add(em, 'scores.stale', { taskId: task.id });
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

const failQueued = (evaluations: EvaluationRepository, cells: Cells, why: Failure): Promise<void> =>
  evaluations.endMissing(cells, { state: 'failed', failure: why, from: ['queued'] });

async function cancelUnshared(em: EntityManager, scope: RunScope): Promise<void> {
  const runs = new RunRepository(em);
  const others = await em.count(Model, { ...scope, state: { $in: ['admitting', 'queued', 'running'] } });
  if (others > 0) return runs.assignOwner(scope);

  const run = await runs.live(scope, 'evaluation');
  if (!run) return;
  await runs.cancel(run.id);
  await new EvaluationRepository(em).endMissing(await activeCells(em, scope), { state: 'cancelled' });
  await refreshModels(em, scope);
}

const nothingToRerun = (): DomainError =>
  new DomainError(
    'conflict',
    'nothing_to_rerun',
    'There is nothing to rerun. No evaluation of this model has failed, was cancelled or has withdrawn answers.',
  );

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
  const ids = (await new RunSpecificationRepository(em).ofTask(taskId)).filter(
    (id) => behind === undefined || id > behind,
  );
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
