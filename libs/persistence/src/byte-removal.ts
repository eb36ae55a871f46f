import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';

/**
 * The key of an advisory lock. A backup holds it exclusively while it reads which bytes the
 * database names, and then the bytes. A process that removes bytes holds it shared.
 */
const LOCK = 'assay bytes stay';

/**
 * Returns whether bytes that no row names any more may be removed until the transaction of `em`
 * ends. They may not while a backup is taken, because its snapshot still names them. The sweep
 * removes what stays then.
 */
export async function mayRemoveBytes(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ mine: boolean }[]>(
    'select pg_try_advisory_xact_lock_shared(hashtextextended(?, 0)) as mine',
    [LOCK],
  );
  return row?.mine === true;
}

/** Prevents the removal of bytes while `client` is connected. Waits for removals in progress. */
export async function preventByteRemoval(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [LOCK]);
}
