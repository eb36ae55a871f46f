import { isAdministrator, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { byRank, Promotion } from '@assay/leaderboard/promotions';
import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RoundModel } from './round-model.js';

/** A model that enters the loop of a round, with the reason and the evidence for it. */
export type ModelForRound = Pick<RoundModel, 'model' | 'reason' | 'evidence'>;

/**
 * Returns the models that the policy has put in the loop of the task, the best first.
 * @throws DomainError `no_model_in_loop`
 */
export async function promotedModels(em: EntityManager, task: Task): Promise<ModelForRound[]> {
  const promotions = await em.find(
    Promotion,
    { task, until: null, model: { withdrawn: false, inLoop: true } },
    { populate: ['model'] },
  );
  if (promotions.length === 0) {
    throw new DomainError(
      'conflict',
      'no_model_in_loop',
      `No model is in the loop of "${task.slug}". Name the models of the round, or wait until the policy adds some.`,
    );
  }
  return promotions.toSorted(byRank).map(({ model, evidence }) => ({ model, reason: 'policy', evidence }));
}

/**
 * Returns the models that a person names for the loop of a round.
 * @throws DomainError `unknown_model`, `model_not_servable`, `model_withdrawn`,
 *   `model_not_admitted`, `model_kept_out`
 */
export async function namedModels(
  em: EntityManager,
  task: Task,
  ids: readonly string[],
  principal: Principal,
): Promise<ModelForRound[]> {
  const found = await em.find(Model, { task, id: { $in: [...ids] } }, { populate: ['specification.artifact'] });
  return [...new Set(ids)].map((id): ModelForRound => {
    const model = found.find((each) => each.id === id);
    if (!model || !mayName(principal, model)) {
      throw refusal(id, 'unknown_model', `"${task.slug}" has no model "${id}".`);
    }
    refuseUnfit(model);
    return { model, reason: 'named', evidence: null };
  });
}

/**
 * Returns whether the person may put the model in a loop. Only the owner of an unpublished model
 * and administrators may show it to annotators.
 */
const mayName = (principal: Principal, model: Model): boolean =>
  model.published || model.owner.id === principal.userId || isAdministrator(principal);

function refuseUnfit(model: Model): void {
  const { id, name, kind, specification } = model;
  if (kind === 'predictions') {
    throw refusal(id, 'model_not_servable', `"${name}" consists only of predictions and cannot be served.`);
  }
  if (model.withdrawn) throw refusal(id, 'model_withdrawn', `"${name}" was withdrawn by its owner.`);
  if (!model.inLoop) throw refusal(id, 'model_kept_out', `The owner of "${name}" keeps it out of the loop.`);
  const artifact = specification?.artifact;
  if (
    artifact?.state !== 'admitted' ||
    artifact.archivedAt ||
    model.state === 'failed' ||
    model.state === 'cancelled'
  ) {
    throw refusal(
      id,
      'model_not_admitted',
      `"${name}" cannot be served, because it is not admitted (state: ${model.state}).`,
    );
  }
}

const refusal = (id: string, code: string, sentence: string): DomainError =>
  new DomainError('invalid', code, sentence, [{ path: 'models', message: `${id} cannot be in the loop of a round` }]);
