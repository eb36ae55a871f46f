import type { EntityManager } from '@mikro-orm/postgresql';

/** Checks that the database answers. */
export async function probeDatabase(em: EntityManager): Promise<void> {
  await em.fork().execute('select 1');
}

/** Runs `work` in a transaction in which each statement may take this long. */
export function withStatementTimeout<T>(
  em: EntityManager,
  milliseconds: number,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  return em.fork().transactional(async (limited) => {
    await limited.execute(`set local statement_timeout = ${milliseconds}`);
    return work(limited);
  });
}
