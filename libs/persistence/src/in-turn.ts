import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';

const mine = new AsyncLocalStorage<object>();
const last = new WeakMap<object, Promise<unknown>>();

/**
 * Runs work that holds a connection of the pool while it asks for another. Of such work one is done at a time in this process: on a pool of
 * two, two of them would wait for each other for ever. What is done within such work is not made to wait for it.
 */
export function inTurn<T>(em: EntityManager, work: () => Promise<T>): Promise<T> {
  const pool = em.getDriver();
  if (mine.getStore() === pool) return work();

  const before = last.get(pool) ?? Promise.resolve();
  const turn = before.then(() => mine.run(pool, work));
  last.set(
    pool,
    turn.catch(() => undefined),
  );
  return turn;
}
