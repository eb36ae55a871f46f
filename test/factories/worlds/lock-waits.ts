import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Counts the transactions of this database that wait for a lock. PostgreSQL sends no notification
 * for this, so callers have to poll.
 * @param em Must not be in a transaction: within one, the statistics stay as they were at the first
 * query.
 */
export async function countLockWaits(em: EntityManager): Promise<number> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await em.execute<unknown[]>(waiting)).length;
}
