import { runMigrations } from 'bullmq';
import pg from 'pg';

/**
 * Creates the queue tables in the database as their owner, or migrates them to this version of
 * BullMQ. They exist even if the queues are on Redis.
 */
export async function migrateQueue(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
