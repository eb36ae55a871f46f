import { Outbox } from '@assay/persistence';
import { Model, RunSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { notifyModels } from './model-events.js';
import { type CellFate, type LiveRun, type ModelFate, modelFate } from './model-fate.js';

/** The cells that one run fills: those of one specification on the datasets of one task. */
export interface RunScope {
  readonly specification: string;
  readonly task: string;
}

/** Outbox event `model.settled`: a model has all its scores, or has failed. */
export interface ModelSettled {
  readonly modelId: string;
  readonly state: 'scored' | 'failed';
}

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
  const cells = await cellsOf(em, scope);
  const fate = modelFate(artifact.kind, cells, await liveRunOf(em, scope), refusal);

  if (cells.some(({ state }) => state === 'scored')) {
    await em.execute(
      `update model set first_scored_at = now() where specification_id = ? and task_id = ? and first_scored_at is null`,
      [scope.specification, scope.task],
    );
  }

  const changed = await em.execute<{ id: string }[]>(
    `update model set state = ?, failure = ?::jsonb
      where specification_id = ? and task_id = ? and state <> 'cancelled'
        and (state <> ? or failure is distinct from ?::jsonb) returning id`,
    [fate.state, json(fate.failure), scope.specification, scope.task, fate.state, json(fate.failure)],
  );
  if (changed.length > 0) {
    const { state, failure } = fate;
    await notifyModels(em, { ...scope, event: { type: 'state', state, ...(failure && { failure }) } });
    if (state === 'scored' || state === 'failed') {
      for (const model of changed) Outbox.add(em, 'model.settled', { modelId: model.id, state } satisfies ModelSettled);
    }
  }
  await refreshModels(em, scope);
  return fate;
}

async function cellsOf(em: EntityManager, { specification, task }: RunScope): Promise<CellFate[]> {
  return em.execute<CellFate[]>(
    `select state, failure from evaluation where specification_id = ? and dataset_version_id = any(?::uuid[])
      order by finished_at, id`,
    [specification, uuidArray(await activeDatasetVersions(em, task))],
  );
}

async function liveRunOf(em: EntityManager, { specification, task }: RunScope): Promise<LiveRun | null> {
  const [run] = await em.execute<LiveRun[]>(
    // repeated measurements change no model state
    `select stage, state from run where specification_id = ? and task_id = ? and purpose = 'evaluation'
      and state in ('queued', 'leased')`,
    [specification, task],
  );
  return run ?? null;
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

export const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
