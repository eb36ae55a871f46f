// Migrates the database to the schema of this version. With --create, writes the missing migration;
// with --check, fails if one is missing.
import 'reflect-metadata';
import { MikroORM } from '@mikro-orm/postgresql';
import { auditWarning } from './administration/audit-protection.js';
import { apiDatabase } from './api-database.js';
import { Environment } from './environment.js';
import { migrateDatabase } from './migrate-database.js';

const environment = new Environment();
const application = environment.databaseUrl;
const owner = environment.databaseOwnerUrl ?? application;
const options = apiDatabase(environment, owner);
const written = { path: 'apps/api/migrations', pathTs: 'apps/api/migrations', emit: 'ts' } as const;
const orm = await MikroORM.init({ ...options, migrations: { ...options.migrations, ...written } });
try {
  const migrated = await migrateDatabase(orm, { owner, application });
  console.log(`${migrated.applied} migrations applied`);
  if (migrated.powers.length > 0) console.warn(auditWarning(migrated));
  if (process.argv.includes('--create')) {
    const { fileName } = await orm.migrator.create();
    console.log(fileName === '' ? 'the schema has not changed' : `wrote ${fileName}: add it to migrations/index.ts`);
  } else if (process.argv.includes('--check')) {
    if (await orm.migrator.checkSchema()) throw new Error('the entities have changed and there is no migration for it');
    console.log('the migrations are complete');
  }
} finally {
  await orm.close();
}
