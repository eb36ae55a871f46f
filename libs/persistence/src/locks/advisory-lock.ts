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

/** The keys of the locks that this process holds or waits for, by pool. */
const ours = new WeakMap<object, Set<string>>();

/**
 * Runs `work` in a transaction that holds the advisory lock `key`, so that only one process does it
 * at a time. The lock ends with the transaction, however it ends.
 * @returns the result of `work`, or null if the lock is taken
 */
export async function withAdvisoryLock<T>(
  em: EntityManager,
  key: string,
  work: (em: EntityManager) => Promise<T>,
): Promise<T | null> {
  const pool = em.getDriver();
  const keys = ours.get(pool) ?? new Set();
  // does not wait behind a caller in this process that waits for the same lock
  if (keys.has(key)) return null;
  ours.set(pool, keys.add(key));
  try {
    return await inTurn(em, () => em.fork().transactional((locked) => ifFree(locked, key, work)));
  } finally {
    keys.delete(key);
  }
}

/**
 * Takes the advisory lock `key`, and holds it until the transaction of `em` ends. Waits while
 * another transaction holds it.
 */
export async function holdAdvisoryLock(em: EntityManager, key: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
}

async function ifFree<T>(em: EntityManager, key: string, work: (em: EntityManager) => Promise<T>): Promise<T | null> {
  const [row] = await em.execute<{ mine: boolean }[]>(
    'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as mine',
    [key],
  );
  return row?.mine === true ? work(em) : null;
}
