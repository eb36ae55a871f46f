import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Runs `work` in a transaction that holds the advisory lock `key`, so that of all processes one does it at a time.
 * The lock ends with the transaction, however it ends.
 * @returns what `work` returns, or null when somebody else holds the lock.
 */
export async function withAdvisoryLock<T>(
  em: EntityManager,
  key: string,
  work: (em: EntityManager) => Promise<T>,
): Promise<T | null> {
  return em.fork().transactional(async (locked) => {
    const [row] = await locked.execute<{ mine: boolean }[]>(
      'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as mine',
      [key],
    );
    return row?.mine === true ? work(locked) : null;
  });
}
