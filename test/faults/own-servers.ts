import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres, type RunningPostgres } from '../../scripts/services/embedded-postgres.js';
import { databaseOn, type TestDatabase } from '../factories/test-services.js';

/** A PostgreSQL server that nobody else uses, so that it may be killed. */
export interface OwnPostgres {
  readonly database: TestDatabase;
  /** Kills all its processes at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on what it left, on the same port; it recovers by itself. */
  start(): Promise<void>;
  /** Ends it and removes what it had. */
  close(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-faults-pg-'));
  chmodSync(directory, 0o711);
  const launch = (): Promise<RunningPostgres> =>
    startPostgres({
      directory: join(directory, 'postgres'),
      database: 'assay',
      durability: 'none',
      connections: 300,
      log: join(directory, 'postgres.log'),
    });
  let server = await launch();
  const admin = server.url;
  const name = `faults_${randomBytes(4).toString('hex')}`;
  await createDatabase(admin, name);

  return {
    database: databaseOn(server, name),
    async kill() {
      // its whole group: the postmaster and every backend
      process.kill(-server.process.pid, 'SIGKILL');
      await server.process.ended;
    },
    async start() {
      server = await launch();
    },
    async close() {
      await server.process.stop();
      rmSync(server.data, { recursive: true, force: true });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
