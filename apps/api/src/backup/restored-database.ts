import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { DomainError } from '@assay/kernel';
import { databaseOptions } from '@assay/persistence';
import { copyTableIn, inOrderOfReferences, setSequence, tablesToCopy } from '@assay/persistence/backup';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { type DatabaseRoles, migrateDatabase } from '../migrate-database.js';
import { appliedMigrations, connectTo, PATIENT } from './database-client.js';
import { damaged, type Manifest } from './manifest.js';

/**
 * Requires an empty database.
 * @throws DomainError `no_database`, `database_not_empty`
 */
export async function expectEmptyDatabase(databaseUrl: string): Promise<void> {
  const client = await connectTo(databaseUrl, 'assay-restore');
  try {
    const { rows } = await client.query<{ database: string; name: string }>(
      `select current_database() as database, schemaname || '.' || tablename as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') and tablename <> 'mikro_orm_migrations' order by 2 limit 1`,
    );
    const [found] = rows;
    if (!found && (await appliedMigrations(client)).length === 0) return;
    throw new DomainError(
      'conflict',
      'database_not_empty',
      `The database "${found?.database ?? new URL(databaseUrl).pathname.slice(1)}" is not empty: it contains ${found?.name ?? 'migrations'}. ` +
        'A backup can only be restored into an empty database. Create one (CREATE DATABASE …) and set DATABASE_URL to it.',
    );
  } finally {
    await client.end();
  }
}

/**
 * Restores the schema and the rows of a snapshot and migrates them to this version, in one
 * transaction. Then migrates the queue and grants the role of the processes its privileges.
 * @throws DomainError `backup_damaged`
 */
export async function fillDatabase(roles: DatabaseRoles, folder: string, manifest: Manifest): Promise<void> {
  const connected: (pg.ClientBase & { readonly processID?: number })[] = [];
  const options = databaseOptions({
    url: roles.owner,
    entities: [],
    migrations,
    poolMax: 3,
    applicationName: 'assay-restore',
  });
  const orm = await MikroORM.init({
    ...options,
    migrations: { ...options.migrations, silent: true },
    discovery: { warnWhenNoEntities: false },
    driverOptions: {
      ...(options.driverOptions as object),
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      options: PATIENT,
      onPoolCreated: (pool: pg.Pool) => pool.on('connect', (client) => connected.push(client)),
    },
  });
  try {
    // creates the table of migrations, which happens outside any transaction
    await orm.migrator.getExecuted();
    await orm.em.fork().transactional(async (em) => {
      const [backend] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
      // rows are copied over the driver's connection, below the ORM
      const client = connected.find(({ processID }) => processID === backend!.pid)!;
      const transaction = em.getTransactionContext<object>()!;
      await orm.migrator.up({ to: manifest.migrations.at(-1)!, transaction });
      await copyRows(client, folder, manifest);
      await orm.migrator.up({ transaction });
    });
    await migrateDatabase(orm, roles);
    await orm.em.fork().execute('analyze');
  } finally {
    await orm.close();
  }
}

/**
 * Copies the rows of the tables that the schema has. Other tables of the snapshot do not belong to
 * Assay.
 * @throws DomainError `backup_damaged`
 */
async function copyRows(client: pg.ClientBase, folder: string, manifest: Manifest): Promise<void> {
  const known = (await tablesToCopy(client)).map(({ name }) => name);
  const tables = manifest.tables.filter(({ name }) => known.includes(name));
  for (const table of await inOrderOfReferences(client, tables)) {
    const path = join(folder, table.file.path);
    const rows = await copyTableIn(client, table, (into) => pipeline(createReadStream(path), createGunzip(), into));
    if (rows !== table.rows) throw damaged(path, `it has ${rows} rows instead of ${table.rows}`);
  }
  for (const sequence of manifest.sequences) await setSequence(client, sequence);
}
