import { type Migration, Migrator } from '@mikro-orm/migrations';
import {
  type AnyEntity,
  type Constructor,
  defineConfig,
  type EntityClass,
  type EntitySchema,
  type MigrationObject,
  type Options,
} from '@mikro-orm/postgresql';
import { askConnections } from './asked-connections.js';

/** The schema of BullMQ's PostgreSQL back end, which the ORM must never touch. */
export const QUEUE_SCHEMA = 'bullmq';

const CONNECT_TIMEOUT = 10_000;
const STATEMENT_TIMEOUT = 60_000;
const IDLE_IN_TRANSACTION_TIMEOUT = 120_000;
/**
 * A new connection has to authenticate and to plan its statements again. That takes 30 ms of CPU
 * time, for many connections at once when the load is highest.
 */
const IDLE_TIMEOUT = 600_000;

export interface DatabaseSettings {
  /** `postgresql://user:password@host:port/database` */
  readonly url: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  /** The migrations in order; none for a process that never migrates. */
  readonly migrations?: readonly (Constructor<Migration> | MigrationObject)[];
  /** The most connections that this process may hold for the ORM; see `connectionShares`. */
  readonly poolMax: number;
  /** The name of the process in `pg_stat_activity`. */
  readonly applicationName?: string;
}

/**
 * Returns the options of the ORM for every process: UTC, no global context, migrations as a list,
 * bounded waits.
 */
export function databaseOptions(settings: DatabaseSettings): Options {
  return defineConfig({
    clientUrl: settings.url,
    entities: [...settings.entities],
    extensions: [Migrator],
    allowGlobalContext: false,
    forceUtcTimezone: true,
    pool: { min: 0, max: settings.poolMax, idleTimeoutMillis: IDLE_TIMEOUT },
    driverOptions: {
      application_name: settings.applicationName ?? 'assay',
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      statement_timeout: STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT,
      keepAlive: true,
      // compiling a statement takes longer than any statement of ours
      options: '-c timezone=UTC -c jit=off',
      onPoolCreated: askConnections,
    },
    schemaGenerator: { ignoreSchema: [QUEUE_SCHEMA] },
    migrations: {
      migrationsList: [...(settings.migrations ?? [])],
      snapshot: false,
      transactional: true,
      allOrNothing: true,
    },
  });
}
