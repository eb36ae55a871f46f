import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@assay/observability';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createApi } from '../../apps/api/src/bootstrap.js';
import { createDatabase, dropDatabase, startPostgres } from '../../scripts/services/embedded-postgres.js';
import { migrated, migratedDatabase } from '../factories/worlds/migrated-database.js';
import { databaseOn, rowsOf, testDatabase, testServer, type TestDatabase } from '../factories/worlds/test-services.js';

const ENTRY = `insert into audit_entry (id, action, subject_kind, subject_id, subject_name)
  values (gen_random_uuid(), 'task.changed', 'task', gen_random_uuid(), 'kept')`;
const COUNT = 'select count(*)::int as count from audit_entry';

/** All known ways to change recorded entries. */
const CHANGES = [
  `update audit_entry set action = 'task.created'`,
  `update audit_entry set action = 'task.created' where false`,
  'delete from audit_entry',
  'truncate audit_entry',
  'truncate audit_entry cascade',
  `merge into audit_entry a using (select 1) s on true when matched then delete`,
  `insert into audit_entry select * from audit_entry on conflict (id) do update set action = 'task.created'`,
  'select * from audit_entry for update',
  'do $$ begin lock table audit_entry in exclusive mode; end $$',
  'alter table audit_entry disable trigger all',
  'alter table audit_entry disable trigger audit_entry_stays',
  'alter table audit_entry owner to current_user',
  'alter table audit_entry rename to other',
  'alter table audit_entry add column more text',
  'alter table audit_entry enable row level security',
  'drop table audit_entry',
  'drop trigger audit_entry_stays on audit_entry',
  'drop function audit_entry_audit_entry_stays_fn cascade',
  `create or replace function audit_entry_audit_entry_stays_fn() returns trigger language plpgsql as 'begin return null; end'`,
  `create trigger nothing before insert on audit_entry for each row execute function audit_entry_audit_entry_stays_fn()`,
  'create rule nothing as on insert to audit_entry do instead nothing',
  'create table audit_entry_beside (id uuid)',
  'create schema beside',
  'drop schema public cascade',
  'drop owned by assay',
  'reassign owned by assay to current_user',
  `set session_replication_role = 'replica'`,
  `copy (select 1) to program 'true'`,
  'set role assay',
  'set session authorization assay',
  'grant assay to current_user',
  'alter role current_user superuser',
  'create role helper superuser',
  'update mikro_orm_migrations set name = name',
  'delete from mikro_orm_migrations',
  `insert into mikro_orm_migrations (name) values ('other')`,
  'create table bullmq.beside (id uuid)',
];

describe('the database role of the application', () => {
  let database: TestDatabase;
  let application: Client;
  let owner: Client;

  beforeAll(async () => {
    database = await migratedDatabase();
    application = new Client({ connectionString: database.applicationUrl });
    owner = new Client({ connectionString: database.url });
    await Promise.all([application.connect(), owner.connect()]);
    await byApplication(ENTRY);
  });
  afterAll(async () => {
    await Promise.all([application.end(), owner.end()]);
    await database.drop();
  });

  const byApplication = async (sql: string) => (await application.query<Record<string, unknown>>(sql)).rows;
  const recorded = async () => (await owner.query('select * from audit_entry')).rows;

  it.each(CHANGES)('may not: %s', async (sql) => {
    const before = await recorded();
    await expect(byApplication(sql)).rejects.toMatchObject({ code: '42501' });
    expect(await recorded()).toEqual(before);
  });

  it('may not drop its database', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const elsewhere = databaseOn(testServer(), 'postgres').applicationUrl;
    await expect(rowsOf(elsewhere, `drop database ${name}`)).rejects.toMatchObject({ code: '42501' });
  });

  it('adds to the audit log and reads it', async () => {
    const [before] = await byApplication(COUNT);
    await byApplication(ENTRY);
    expect(await byApplication(COUNT)).toEqual([{ count: (before!['count'] as number) + 1 }]);
  });

  it('reads and changes rows of tables that later migrations make', async () => {
    await owner.query('create table made_later (id serial primary key, name text)');
    await byApplication(`insert into made_later (name) values ('one'), ('two')`);
    await byApplication(`update made_later set name = 'three' where name = 'one'`);
    await byApplication(`delete from made_later where name = 'two'`);
    expect(await byApplication('select name from made_later')).toEqual([{ name: 'three' }]);
    await expect(byApplication('drop table made_later')).rejects.toMatchObject({ code: '42501' });
  });
});

describe('an installation', () => {
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  async function emptyDatabase(): Promise<TestDatabase> {
    const database = await testDatabase();
    endings.push(() => database.drop());
    return database;
  }
  const deleting = (url: string) => rowsOf(url, 'delete from audit_entry');

  it('with one role works, and warns that triggers alone protect the audit log', async () => {
    const { url } = await emptyDatabase();
    const { role, powers } = await migrated({ url, applicationUrl: url });
    expect(role).toBe('assay');
    expect(powers).toEqual(expect.arrayContaining(['is a superuser', 'owns the table', 'may update']));
    expect(await warningsOfApi(url)).toEqual([
      expect.stringContaining('the audit log is protected by triggers only, because the database role assay'),
    ]);
    await rowsOf(url, ENTRY);
    await expect(deleting(url)).rejects.toThrow('the audit log is only added to');
  });

  it('from before there were two roles is brought over when it is migrated again', async () => {
    const { url, applicationUrl } = await emptyDatabase();
    await migrated({ url, applicationUrl: url });
    await rowsOf(url, ENTRY);
    await expect(rowsOf(applicationUrl, COUNT)).rejects.toMatchObject({ code: '42501' });
    // simulates a careless grant by an operator
    await rowsOf(url, 'grant all on all tables in schema public to assay_application');

    expect(await migrated({ url, applicationUrl })).toEqual({ applied: 0, role: 'assay_application', powers: [] });
    expect(await rowsOf(applicationUrl, COUNT)).toEqual([{ count: 1 }]);
    await expect(deleting(applicationUrl)).rejects.toMatchObject({ code: '42501' });
    expect(await warningsOfApi(applicationUrl)).toEqual([]);
  });

  it('on a server of its own has an owner that is no superuser', async () => {
    const server = testServer();
    const name = `own_${randomBytes(4).toString('hex')}`;
    // the commands that the README gives
    await rowsOf(server.url, `create role ${name}_owner login password 'secret'`);
    await rowsOf(server.url, `create role ${name}_application login password 'secret'`);
    await rowsOf(server.url, `create database ${name} owner ${name}_owner`);
    endings.push(async () => {
      await dropDatabase(server.url, name);
      await rowsOf(server.url, `drop role ${name}_owner`);
      await rowsOf(server.url, `drop role ${name}_application`);
    });
    const as = (role: string) =>
      Object.assign(new URL(server.url), { username: `${name}_${role}`, password: 'secret', pathname: `/${name}` })
        .href;

    const { powers } = await migrated({ url: as('owner'), applicationUrl: as('application') });
    expect(powers).toEqual([]);
    await rowsOf(as('application'), ENTRY);
    await expect(deleting(as('application'))).rejects.toMatchObject({ code: '42501' });
    await expect(rowsOf(as('application'), `set role ${name}_owner`)).rejects.toMatchObject({ code: '42501' });
    expect(await warningsOfApi(as('application'))).toEqual([]);
  });

  it('with the embedded server of an earlier version gets the role when it is started again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-roles-'));
    chmodSync(directory, 0o711);
    const start = () =>
      startPostgres({
        directory: join(directory, 'postgres'),
        durability: 'none',
        connections: 20,
        log: join(directory, 'postgres.log'),
      });
    let server = await start();
    endings.push(async () => {
      await server.process.stop();
      rmSync(server.data, { recursive: true, force: true });
      rmSync(directory, { recursive: true, force: true });
    });
    await createDatabase(server.url, 'kept');
    await rowsOf(server.url, 'drop role assay_application');
    rmSync(join(dirname(server.data), 'application-password'));
    await server.process.stop();

    server = await start();
    const [me] = await rowsOf<object>(
      server.applicationUrl,
      'select rolname as name, rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user',
    );
    expect(me).toEqual({ name: 'assay_application', rolsuper: false, rolcreaterole: false, rolcreatedb: false });
    expect(await rowsOf(databaseOn(server, 'kept').url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const { applicationUrl } = server;
    await server.process.stop();

    server = await start();
    expect(new URL(server.applicationUrl).password).toBe(new URL(applicationUrl).password);
    expect(existsSync(join(dirname(server.data), 'application-password'))).toBe(true);
  });
});

const LOGGED: { readonly message: string }[] = [];
const LOGGER = createLogger('warn', { write: (line) => LOGGED.push(JSON.parse(line) as { message: string }) });

/** Returns what an API logs about the audit log when it starts on the database at `url`. */
async function warningsOfApi(url: string): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'assay-roles-home-'));
  const before = { ...process.env };
  Object.assign(process.env, { DATABASE_URL: url, ASSAY_HOME: home });
  try {
    const app = await createApi(LOGGER);
    await app.init();
    await app.close();
  } finally {
    process.env = before;
    rmSync(home, { recursive: true, force: true });
  }
  return LOGGED.splice(0)
    .filter(({ message }) => message.includes('audit'))
    .map(({ message }) => message);
}
