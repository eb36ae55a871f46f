import type { AnyEntity, Constructor, EntityClass, EntitySchema, MigrationObject } from '@mikro-orm/core';
import { type Migration, Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { askConnections } from './asked-connections.js';
import { type Pool, releaseLostConnections } from './lost-connections.js';

/** The schema that BullMQ's PostgreSQL back end owns; the ORM must never touch it. */
export const QUEUE_SCHEMA = 'bullmq';

const CONNECT_TIMEOUT = 10_000;
const STATEMENT_TIMEOUT = 60_000;
const IDLE_IN_TRANSACTION_TIMEOUT = 120_000;
/** One that is new has to sign in and to plan anew what it is asked: 30 ms of a core, which many at once take when they are needed most. */
const IDLE_TIMEOUT = 600_000;

export interface DatabaseSettings {
  /** `postgresql://user:password@host:port/database` */
  readonly url: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  /** In their order; none for a process that never migrates. */
  readonly migrations?: readonly (Constructor<Migration> | MigrationObject)[];
  /** Connections that this process may hold for the ORM; see `connectionShares`. */
  readonly poolMax: number;
  /** How the process is named in `pg_stat_activity`. */
  readonly applicationName?: string;
}

/** The ORM's options for every process: UTC, no global context, migrations as a list, bounded waits. */
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
      options: '-c timezone=UTC',
      onPoolCreated: (pool: Pool) => {
        askConnections(pool);
        releaseLostConnections(pool);
      },
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
