import type { EntityManager, TransactionOptions } from '@mikro-orm/postgresql';
import { isSerializationFailure } from './database-errors.js';

/** The number of attempts before the failure of a transaction is reported. */
const ATTEMPTS = 5;

/**
 * Runs `work` in a transaction on an entity manager with nothing loaded. A transaction that
 * PostgreSQL aborts because of a deadlock or a serialisation failure is rolled back and retried, up
 * to 5 attempts in total. `work` must therefore load everything that it changes through the manager
 * it receives, and change nothing else.
 */
export async function inTransaction<T>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<T>,
  options: Pick<TransactionOptions, 'isolationLevel'> = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await em.fork().transactional((tx) => work(tx), options);
    } catch (error) {
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error;
    }
  }
}

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
