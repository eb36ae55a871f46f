import { SerializationFailure } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Model } from './model.js';

/**
 * Locks a specification: every other transaction that changes its cells or runs waits for the
 * transaction of `em`. Without the lock a run could end while another transaction adds a cell for
 * it. Every transaction locks the specification first, then the model, then the run.
 */
export async function lockSpecification(em: EntityManager, specification: string): Promise<void> {
  await em.execute('select id from run_specification where id = ? for no key update', [specification]);
}

/**
 * Locks the specification of a model, if it has one, then the model. Rows that refer to the model
 * can still be added.
 * @returns the current model, with its task, owner and specification
 * @throws SerializationFailure if the model got its specification in the meantime: locking that now
 * would break the lock order
 */
export async function lockModel(em: EntityManager, id: string): Promise<Model> {
  const [locked] = await em.execute<{ id: string }[]>(
    'select id from run_specification where id = (select specification_id from model where id = ?) for no key update',
    [id],
  );
  await em.execute('select id from model where id = ? for no key update', [id]);
  const model = await em.findOneOrFail(Model, id, { refresh: true, populate: ['task', 'owner', 'specification'] });
  if (model.specification?.id === locked?.id) return model;
  throw new SerializationFailure(`model ${id} has got its artifact`);
}
