import { DomainError } from '@assay/kernel';
import type { Principal } from '@assay/identity';
import type { Model, ModelsService } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { z } from 'zod';

/**
 * Returns the models of the task with these IDs or names, in the given order.
 * @throws DomainError `unknown_model` (missing or not visible), `ambiguous_model`, `other_task`,
 * `same_model`
 */
export async function comparedModels(
  models: ModelsService,
  principal: Principal | null,
  task: Task,
  names: readonly string[],
): Promise<Model[]> {
  const found: Model[] = [];
  for (const name of names) {
    const model =
      among(await models.namedOf(task, principal, name), name) ?? (await elsewhere(models, principal, name));
    if (found.includes(model)) throw sameModel(model);
    found.push(model);
  }
  return found;
}

function among(named: readonly Model[], name: string): Model | null {
  const byId = named.find(({ id }) => id === name);
  if (byId) return byId;
  const [first, ...others] = named;
  if (!first || others.length === 0) return first ?? null;
  const ids = [first, ...others].map(({ id, owner }) => `${id} (${owner.username})`).join(', ');
  throw new DomainError(
    'invalid',
    'ambiguous_model',
    `Several models are named "${name}". Use the ID of one of them: ${ids}.`,
  );
}

/**
 * Throws `other_task` if the ID is that of a visible model of another task, and `unknown_model`
 * otherwise.
 */
async function elsewhere(models: ModelsService, principal: Principal | null, name: string): Promise<never> {
  const isId = z.guid().safeParse(name).success;
  const model = isId ? await models.getVisible(principal, name).catch(orNull) : null;
  if (!model) {
    throw new DomainError('not-found', 'unknown_model', `The task has no model "${name}" that you have access to.`);
  }
  throw new DomainError(
    'invalid',
    'other_task',
    `"${model.name}" (${model.id}) is a model of the task "${model.task.slug}". Only models of the same task can be compared.`,
  );
}

function orNull(error: unknown): null {
  if (error instanceof DomainError && error.kind === 'not-found') return null;
  throw error;
}

const sameModel = ({ name, id }: Model): DomainError =>
  new DomainError(
    'invalid',
    'same_model',
    `"${name}" (${id}) cannot be compared with itself. Name two different models.`,
  );
