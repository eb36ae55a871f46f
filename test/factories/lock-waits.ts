import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Counts the transactions of this database that wait for a lock, of which PostgreSQL notifies nobody.
 * @param em outside of a transaction: one sees at all times who waited when it first looked
 */
export async function countLockWaits(em: EntityManager): Promise<number> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await em.execute<unknown[]>(waiting)).length;
}
