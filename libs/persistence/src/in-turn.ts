import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';

const mine = new AsyncLocalStorage<object>();
const last = new WeakMap<object, Promise<unknown>>();

/**
 * Runs work that holds a connection of the pool while it requests another one. This process runs
 * such work one at a time per pool, because two of them on a pool of two would wait for each other
 * forever. Nested work runs immediately.
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
