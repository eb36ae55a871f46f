import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, dropDatabase } from '../../../scripts/services/embedded-postgres.js';
import { freePort } from '../../../scripts/services/free-port.js';
import { SupervisedProcess } from '../../../scripts/services/supervised-process.js';

export interface TestDatabase {
  /**
   * The URL (`postgresql://…`) of an empty database that nobody else uses, for its owner role with
   * all privileges.
   */
  readonly url: string;
  /**
   * The URL for the role of the service's processes. The role owns nothing; migrations grant its
   * privileges.
   */
  readonly applicationUrl: string;
  drop(): Promise<void>;
}

/** Creates an empty database on the server of this Jest run (see postgres.setup.mjs). */
export async function testDatabase(): Promise<TestDatabase> {
  const server = testServer();
  const name = `assay_${randomBytes(6).toString('hex')}`;
  await createDatabase(server.url, name);
  return databaseOn(server, name);
}

export interface TestServer {
  readonly url: string;
  readonly applicationUrl: string;
}

/** Returns the server of this Jest run. */
export function testServer(): TestServer {
  const { ASSAY_TEST_DATABASE_URL: url, ASSAY_TEST_APPLICATION_URL: applicationUrl } = process.env;
  if (!url || !applicationUrl) {
    throw new Error('There is no test server: only the tiers medium and e2e start one (jest.config.mjs).');
  }
  return { url, applicationUrl };
}

/** Returns the database of that name on the server. */
export function databaseOn({ url, applicationUrl }: TestServer, name: string): TestDatabase {
  const named = (address: string): string => Object.assign(new URL(address), { pathname: `/${name}` }).href;
  return { url: named(url), applicationUrl: named(applicationUrl), drop: () => dropDatabase(url, name) };
}

/** Executes a statement on the database at `url` and returns its rows. */
export async function rowsOf<T extends object>(url: string, sql: string): Promise<readonly T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

export interface TestRedis {
  /** The URL: `redis://127.0.0.1:port`. */
  readonly url: string;
  /** Stops the server. Its data is lost. */
  stop(): Promise<void>;
  /** Kills the server, like a power cut. Its data is lost. */
  kill(): Promise<void>;
  /** Starts an empty server on the same port, after `stop` or `kill`. */
  start(): Promise<void>;
}

/** Starts a Redis server without persistence. Needs Debian's package redis-server. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort('127.0.0.1');
  let directory: string | undefined;
  let server: SupervisedProcess | undefined;

  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      directory = mkdtempSync(join(tmpdir(), 'assay-redis-'));
      server = redisServer(port, directory);
      await server.until(() => pongs(port), 10_000);
    },
    async stop() {
      await server?.stop();
      if (directory) rmSync(directory, { recursive: true, force: true });
    },
    async kill() {
      if (server) process.kill(server.pid, 'SIGKILL');
      await redis.stop();
    },
  };
  await redis.start();
  return redis;
}

function redisServer(port: number, directory: string): SupervisedProcess {
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: directory };
  return new SupervisedProcess({
    name: 'Redis',
    command: 'redis-server',
    arguments: Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    environment: process.env,
    log: join(directory, 'redis.log'),
    stopSignal: 'SIGTERM',
    patience: 5000,
  });
}

/**
 * Returns whether the server answers PING with PONG. While it loads, it accepts connections but
 * rejects commands.
 */
function pongs(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
