import { DomainError } from '@assay/kernel';
import pg from 'pg';

/** The options of a connection for long operations: UTC, and no timeouts. */
export const PATIENT = '-c timezone=UTC -c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

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
