import type { Failure, ModelKind, ModelState } from '@assay/contracts/models';
import { Outbox } from '@assay/persistence/outbox';
import { Model, ModelRepository, RunSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeCells } from '../evaluations/active-datasets.js';
import { type CellFate, EvaluationRepository } from '../evaluations/evaluation.repository.js';
import { notifyModels } from '../model-events.js';
import { type LiveRun, RunRepository } from '../runs/run.repository.js';
import type { RunScope } from '../runs/run.js';

/**
 * Sets the state of all models of the scope, except cancelled ones, according to their cells and
 * their live run, and emits events about changes. Requires the lock of the specification.
 */
export async function settleModels(em: EntityManager, { specification: id, task }: RunScope): Promise<ModelFate> {
  await em.flush();
  const scope = { specification: id, task };
  const specification = await em.findOneOrFail(RunSpecification, id, { populate: ['artifact'] });
  const { artifact } = specification;
  const refusal = artifact.state === 'refused' ? (artifact.failure ?? null) : null;
  const cells = await new EvaluationRepository(em).fates(await activeCells(em, scope));
  // repeated measurements change no model state
  const fate = modelFate(artifact.kind, cells, await new RunRepository(em).live(scope, 'evaluation'), refusal);

  const models = new ModelRepository(em);
  if (cells.some(({ state }) => state === 'scored')) await models.recordFirstScore(scope);
  const changed = await models.settle(scope, fate);
  if (changed.length > 0) {
    const { state, failure } = fate;
    await notifyModels(em, { ...scope, event: { type: 'state', state, ...(failure && { failure }) } });
    if (state === 'scored' || state === 'failed') {
      for (const modelId of changed) Outbox.add(em, 'model.settled', { modelId, state });
    }
  }
  await refreshModels(em, scope);
  return fate;
}

/**
 * Refreshes the models in the identity map of `em`, so that the caller neither sees nor writes back
 * outdated states.
 */
export async function refreshModels(em: EntityManager, { specification, task }: RunScope): Promise<void> {
  for (const entity of em.getUnitOfWork().getIdentityMap().values()) {
    if (!(entity instanceof Model) || entity.task.id !== task || entity.specification?.id !== specification) continue;
    await em.refresh(entity);
  }
}

export interface ModelFate {
  readonly state: ModelState;
  readonly failure: Failure | null;
}

/**
 * Returns the state of a model, derived from its cells (in the order in which they finished) and
 * its live run. A predictions file need not cover every dataset: such a model with a scored and a
 * cancelled cell is scored.
 * @param refusal the reason why its artifact was refused, which applies while there is no cell
 */
export function modelFate(
  kind: ModelKind,
  cells: readonly CellFate[],
  run: Omit<LiveRun, 'id'> | null,
  refusal: Failure | null,
): ModelFate {
  if (run) {
    const state = run.state === 'leased' ? 'running' : 'queued';
    return { state: run.stage === 'admission' ? 'admitting' : state, failure: null };
  }

  const failed = cells.find((cell) => cell.state === 'failed');
  if (failed) return { state: 'failed', failure: failed.failure };
  if (cells.length === 0 && refusal) return { state: 'failed', failure: refusal };
  // without a dataset there is nothing to score yet: the model stays queued
  if (cells.length === 0 || cells.some(({ state }) => state === 'queued')) return { state: 'queued', failure: null };
  // its answers wait to be scored
  if (cells.some(({ state }) => state === 'running')) return { state: 'running', failure: null };
  const cancelled = cells.find((cell) => cell.state === 'cancelled');
  if (!cancelled || (kind === 'predictions' && cells.some((cell) => cell.state === 'scored'))) {
    return { state: 'scored', failure: null };
  }
  return { state: 'cancelled', failure: cancelled.failure };
}
