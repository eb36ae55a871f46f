import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';

/** Whoever holds it alone reads which bytes the database names, and then the bytes; who removes any shares it. */
const LOCK = 'assay bytes stay';

/**
 * Whether bytes that no row names any more may be removed by the end of the transaction of `em`. They may not while a backup is taken:
 * its snapshot still names them. What then stays is removed by the sweep.
 */
export async function mayRemoveBytes(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ mine: boolean }[]>(
    'select pg_try_advisory_xact_lock_shared(hashtextextended(?, 0)) as mine',
    [LOCK],
  );
  return row?.mine === true;
}

/** From now on nobody removes bytes, as long as `client` is connected; waits for those who do. */
export async function keepBytes(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [LOCK]);
}
