import { Outbox } from '@assay/persistence/outbox';
import { Model, ModelRepository, RunSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeCells } from '../evaluations/active-datasets.js';
import { EvaluationRepository } from '../evaluations/evaluation.repository.js';
import { notifyModels } from '../model-events.js';
import { type ModelFate, modelFate } from './model-fate.js';
import { RunRepository } from '../runs/run.repository.js';
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
