import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { apiDatabase } from '../../../apps/api/src/api-database.js';
import { Environment } from '../../../apps/api/src/environment.js';
import { migrateDatabase } from '../../../apps/api/src/migrate-database.js';
import { databaseOn, testServer, type TestDatabase } from './test-services.js';

/** The template database. Created by the first spec of a Jest run that needs it. */
const TEMPLATE = 'assay_migrated';

/**
 * Creates a database with all migrations applied and all privileges granted to the application's
 * role. Copies a template that is migrated only once.
 */
export async function migratedDatabase(): Promise<TestDatabase> {
  const server = testServer();
  const name = `assay_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('${TEMPLATE}'))`);
    if (!(await isThere(client))) await makeTemplate(client);
    await client.query(`create database ${name} template ${TEMPLATE}`);
  } finally {
    await client.end();
  }
  return databaseOn(server, name);
}

async function isThere(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE]);
  return rowCount === 1;
}

/** Migrates the template under a temporary name and renames it when it is complete. */
async function makeTemplate(client: Client): Promise<void> {
  const unfinished = `${TEMPLATE}_unfinished`;
  await client.query(`drop database if exists ${unfinished}`);
  await client.query(`create database ${unfinished}`);
  await migrated(databaseOn(testServer(), unfinished));
  await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
}

/**
 * Migrates a database to the current schema as `migrate` does: as its owner, for the role of the
 * application.
 */
export async function migrated({
  url,
  applicationUrl,
}: Pick<TestDatabase, 'url' | 'applicationUrl'>): Promise<Awaited<ReturnType<typeof migrateDatabase>>> {
  const before = process.env['DATABASE_URL'];
  process.env['DATABASE_URL'] = applicationUrl;
  const orm = await MikroORM.init({ ...apiDatabase(new Environment(), url), logger: () => undefined });
  try {
    return await migrateDatabase(orm, { owner: url, application: applicationUrl });
  } finally {
    await orm.close(true);
    if (before === undefined) delete process.env['DATABASE_URL'];
    else process.env['DATABASE_URL'] = before;
  }
}
