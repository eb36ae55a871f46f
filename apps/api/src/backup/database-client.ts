import { DomainError } from '@assay/kernel';
import pg from 'pg';

/** The options of a connection for long operations: UTC, and no timeouts. */
export const PATIENT = '-c timezone=UTC -c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/** Returns the names of the applied migrations in order. An interrupted restore leaves none. */
export async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query<{ there: string | null }>(
    `select to_regclass('public.mikro_orm_migrations')::text as there`,
  );
  if (found[0]?.there == null) return [];
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  return rows.map(({ name }) => name);
}

/**
 * Opens a connection outside any pool.
 * @throws DomainError `no_database`
 */
export async function connectTo(databaseUrl: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    options: PATIENT,
  });
  // the query that fails reports a lost connection
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new DomainError(
      'unavailable',
      'no_database',
      `Cannot reach the database in DATABASE_URL: ${message || (code ?? 'it does not answer')}. Check that it is running and that the address is right.`,
    );
  }
}
