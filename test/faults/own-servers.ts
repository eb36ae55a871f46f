import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres, type RunningPostgres } from '../../scripts/services/embedded-postgres.js';
import { databaseOn, type TestDatabase } from '../factories/worlds/test-services.js';

/** A PostgreSQL server for one test, which may be killed. */
export interface OwnPostgres {
  readonly database: TestDatabase;
  /** Kills all its processes at once, like a power cut. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. PostgreSQL recovers by itself. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** @param environment Additional environment variables of the server. */
export async function startOwnPostgres(environment: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-faults-pg-'));
  chmodSync(directory, 0o711);
  const launch = (): Promise<RunningPostgres> =>
    startPostgres({
      directory: join(directory, 'postgres'),
      // committed data survives the end of the processes
      durability: 'processes',
      connections: 300,
      log: join(directory, 'postgres.log'),
      environment,
    });
  let server = await launch();
  const admin = server.url;
  const name = `faults_${randomBytes(4).toString('hex')}`;
  await createDatabase(admin, name);

  return {
    database: databaseOn(server, name),
    async kill() {
      const { pid, ended } = server.process;
      // stopped first, so that it starts no further process; each backend has its own process group
      process.kill(pid, 'SIGSTOP');
      for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
      process.kill(pid, 'SIGKILL');
      await ended;
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

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
