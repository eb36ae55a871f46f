import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { holdAdvisoryLock } from './locks/advisory-lock.js';

/** The privileges of the application in its owner's database. */
export interface ApplicationGrants {
  /** The database role with which the processes of the service log in. */
  readonly role: string;
  /**
   * The schemas in which the role reads and changes rows, in existing tables and in tables that the
   * owner creates later.
   */
  readonly schemas: readonly string[];
  /** Tables of the first schema that the role only reads. */
  readonly onlyRead: readonly string[];
  /**
   * Tables of the first schema that the role reads and inserts into, but whose rows it never
   * changes or removes.
   */
  readonly onlyAddedTo: readonly string[];
}

/**
 * Grants `role` the privileges it needs and revokes the others. `em` is connected as the owner.
 * Idempotent.
 */
export async function grantToApplication(em: EntityManager, grants: ApplicationGrants): Promise<void> {
  await em.fork().transactional(async (owner) => {
    await holdAdvisoryLock(owner, 'grant to application');
    for (const statement of statementsOf(grants)) await owner.execute(statement);
  });
}

function statementsOf({ role, schemas, onlyRead, onlyAddedTo }: ApplicationGrants): readonly string[] {
  const application = pg.escapeIdentifier(role);
  const [first = 'public'] = schemas;
  const table = (name: string): string => `${pg.escapeIdentifier(first)}.${pg.escapeIdentifier(name)}`;
  return [
    ...schemas.map((each) => pg.escapeIdentifier(each)).flatMap((schema) => inSchema(schema, application)),
    ...[...onlyRead, ...onlyAddedTo].map((name) => `revoke all on ${table(name)} from ${application}, public`),
    ...onlyRead.map((name) => `grant select on ${table(name)} to ${application}`),
    ...onlyAddedTo.map((name) => `grant select, insert on ${table(name)} to ${application}`),
  ];
}

function inSchema(schema: string, application: string): readonly string[] {
  const rows = 'select, insert, update, delete on';
  const numbers = 'usage, select, update on';
  return [
    `revoke create on schema ${schema} from ${application}, public`,
    `grant usage on schema ${schema} to ${application}`,
    `revoke all on all tables in schema ${schema} from ${application}`,
    `grant ${rows} all tables in schema ${schema} to ${application}`,
    `grant ${numbers} all sequences in schema ${schema} to ${application}`,
    `alter default privileges in schema ${schema} grant ${rows} tables to ${application}`,
    `alter default privileges in schema ${schema} grant ${numbers} sequences to ${application}`,
  ];
}

/** Runs a query as one of the roles of the database. */
type Ask = (sql: string) => Promise<readonly { readonly powers: readonly string[] }[]>;

/**
 * Returns the ways in which the current role could change or remove rows of `table`, or disable
 * what protects them. Empty if the role can only insert.
 * @param table a table in the schema `public`
 */
export async function powersOver(ask: Ask, table: string): Promise<readonly string[]> {
  const [row] = await ask(POWERS.replace('TABLE', pg.escapeLiteral(`public.${table}`)));
  return row?.powers ?? [];
}

const POWERS = `
  select array_remove(array[
    case when me.rolsuper then 'is a superuser' end,
    case when me.rolcreaterole then 'may give itself roles' end,
    case when pg_has_role(t.relowner, 'MEMBER') then 'owns the table' end,
    case when pg_has_role(s.nspowner, 'MEMBER') then 'owns the schema' end,
    case when has_schema_privilege(s.oid, 'CREATE') then 'may create in the schema' end,
    case when has_table_privilege(t.oid, 'UPDATE') or has_any_column_privilege(t.oid, 'UPDATE') then 'may update' end,
    case when has_table_privilege(t.oid, 'DELETE') then 'may delete' end,
    case when has_table_privilege(t.oid, 'TRUNCATE') then 'may truncate' end,
    case when has_table_privilege(t.oid, 'TRIGGER') then 'may make triggers' end,
    case when pg_has_role('pg_execute_server_program', 'MEMBER') or pg_has_role('pg_write_server_files', 'MEMBER')
      then 'may write files of the server' end
  ], null) as powers
  from pg_class t join pg_namespace s on s.oid = t.relnamespace join pg_roles me on me.rolname = current_user
  where t.oid = TABLE::regclass`;
