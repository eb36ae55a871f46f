import { migrateQueue } from '@assay/jobs';
import { grantToApplication, powersOver, QUEUE_SCHEMA } from '@assay/persistence';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

/**
 * The URLs of the database: for the role that owns it, and for the role of the processes. They are
 * equal if there is only one role.
 */
export interface DatabaseRoles {
  readonly owner: string;
  readonly application: string;
}

/** The table of the audit log, as `AuditEntry` names it. */
export const AUDIT_TABLE = 'audit_entry';

/**
 * The result of a migration. `powers` are the privileges by which the role of the processes could
 * change the audit log.
 */
export interface Migrated {
  readonly applied: number;
  readonly role: string;
  readonly powers: readonly string[];
}

/**
 * Migrates the database and the queue to the schema of this version, and grants the application its
 * privileges.
 * @param orm is connected as the owner
 */
export async function migrateDatabase(orm: MikroORM, { owner, application }: DatabaseRoles): Promise<Migrated> {
  const applied = await orm.migrator.up();
  await migrateQueue(owner);
  const role = await roleOf(application);
  if (role !== (await roleOf(owner))) {
    await grantToApplication(orm.em, {
      role,
      schemas: ['public', QUEUE_SCHEMA],
      onlyRead: [orm.config.get('migrations').tableName ?? 'mikro_orm_migrations'],
      onlyAddedTo: [AUDIT_TABLE],
    });
  }
  return { applied: applied.length, role, powers: await signedIn(application, powers) };
}

const roleOf = (url: string): Promise<string> =>
  signedIn(url, async (client) => {
    const { rows } = await client.query<{ role: string }>('select current_user as role');
    return rows[0]!.role;
  });

const powers = (client: pg.Client): Promise<readonly string[]> =>
  powersOver(async (sql) => (await client.query<{ powers: string[] }>(sql)).rows, AUDIT_TABLE);

async function signedIn<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
