import { runMigrations } from 'bullmq';
import pg from 'pg';

/** Makes the tables of the queue in the database, or brings them to this version, as their owner; they are there also where Redis rings. */
export async function migrateQueue(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
