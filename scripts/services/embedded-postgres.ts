import { hash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { type PostgresBinaries, reachableBinaries } from './postgres-binaries.js';
import { endLeftover } from './processes.js';
import { type Account, reaches, runAs, serverAccount, sharedDirectory } from './server-account.js';
import { SupervisedProcess } from './supervised-process.js';

export interface PostgresPlan {
  /** Folder for all files of the server. Created if it is missing. */
  readonly directory: string;
  /**
   * `safe`: data survives a crash of the machine. `processes`: data survives if the server is
   * killed, but not a crash of the machine. `none`: data may be lost in both cases. The latter two
   * are faster, for tests.
   */
  readonly durability: 'safe' | 'processes' | 'none';
  readonly connections: number;
  readonly log: string;
  /** Variables in addition to those that the server needs. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RunningPostgres {
  /**
   * `postgresql://assay:…@127.0.0.1:port/assay`, with the role that owns everything on the
   * server.
   */
  readonly url: string;
  /**
   * The same with the role of the service's processes. It owns nothing; migrations grant it the
   * privileges that it needs.
   */
  readonly applicationUrl: string;
  /**
   * The actual data folder. It is outside `plan.directory` if the server's user cannot access that.
   */
  readonly data: string;
  readonly version: string;
  readonly process: SupervisedProcess;
}

/** Is stopped, and its folder removed, when it is disposed of. */
export interface TemporaryPostgres extends RunningPostgres, AsyncDisposable {
  /** The temporary folder. */
  readonly directory: string;
}

/** The database in the URLs. Created if it is missing. */
const DATABASE = 'assay';
/** The role of the service's processes. The role `assay` owns the server. */
const APPLICATION_ROLE = 'assay_application';

/**
 * Starts a PostgreSQL server from the binaries in the npm package, on a port of 127.0.0.1 and with
 * a password. PostgreSQL refuses to run as root, so under root it runs as a dedicated system user.
 */
export async function startPostgres(plan: PostgresPlan): Promise<RunningPostgres> {
  mkdirSync(plan.directory, { recursive: true, mode: 0o711 });
  const account = await serverAccount();
  const binaries = await reachableBinaries(account);
  const directory = await reachableDirectory(plan.directory, account);
  const data = join(directory, 'data');

  await endLeftover(
    join(data, 'postmaster.pid'),
    'SIGINT',
    15_000,
    (pid) => `PostgreSQL (process ${pid}) still uses ${data} and`,
  );
  if (!existsSync(data)) await initialise(binaries, data, account);
  refuseOtherVersion(data, binaries.version);

  const port = await freePort('127.0.0.1', lastPort(directory));
  const own = Object.entries(plan.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const server = new SupervisedProcess({
    name: 'PostgreSQL',
    // `env` sets the server's own variables after the change of user
    command: '/usr/bin/env',
    arguments: [...own, join(binaries.directory, 'bin/postgres'), '-D', data, ...settings(plan, port)],
    environment: { PATH: process.env['PATH'], TZ: 'UTC' },
    cwd: '/',
    log: plan.log,
    ...(account && { user: account }),
    stopSignal: 'SIGINT',
    patience: 15_000,
  });
  try {
    const password = readFileSync(join(directory, 'password'), 'utf8');
    const url = (database: string): string => `postgresql://assay:${password}@127.0.0.1:${port}/${database}`;
    await server.until(
      () => withClient(url('postgres'), (client) => client.query('SELECT 1')).then(() => true),
      60_000,
    );
    await createDatabase(url('postgres'), DATABASE);
    const applicationPassword = storedPassword(join(directory, 'application-password'));
    await createApplicationRole(url('postgres'), applicationPassword);
    const role = { username: APPLICATION_ROLE, password: applicationPassword };
    const applicationUrl = Object.assign(new URL(url(DATABASE)), role).href;
    return { url: url(DATABASE), applicationUrl, data, version: binaries.version, process: server };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Starts a server in a temporary folder. Its data may be lost in a crash. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-postgres-'));
  chmodSync(directory, 0o711);
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    durability: 'none',
    connections: 300,
    log: join(directory, 'postgres.log'),
  });
  return {
    ...server,
    directory,
    async [Symbol.asyncDispose]() {
      await server.process.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Creates the role of the service's processes if it is missing, and sets its password. */
async function createApplicationRole(url: string, password: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APPLICATION_ROLE]);
    const powers = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    const [verb, secret] = [rowCount ? 'ALTER' : 'CREATE', client.escapeLiteral(password)];
    await client.query(`${verb} ROLE ${APPLICATION_ROLE} ${powers} PASSWORD ${secret}`);
  });
}

/** Returns the password in a file, which is created if it is missing. */
function storedPassword(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(path, 'utf8');
}

/** Creates `database` on the server of `url` if it is missing. */
export async function createDatabase(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  });
}

/** Drops `database` and closes its connections. */
export async function dropDatabase(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(database)} WITH (FORCE)`);
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function settings(plan: PostgresPlan, port: number): string[] {
  const always = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: plan.connections,
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const careless = { fsync: 'off', full_page_writes: 'off', max_wal_size: '256MB' };
  return Object.entries({
    ...always,
    ...(plan.durability !== 'safe' && careless),
    ...(plan.durability === 'none' && { synchronous_commit: 'off' }),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Initialises the data folder under a temporary name and then renames it, so that an interrupted
 * initdb leaves nothing that looks like a database.
 */
async function initialise(binaries: PostgresBinaries, data: string, account: Account | undefined): Promise<void> {
  const directory = dirname(data);
  const unfinished = `${data}.unfinished`;
  const passwordFile = join(directory, 'password');
  rmSync(unfinished, { recursive: true, force: true });
  storedPassword(passwordFile);
  if (account) for (const path of [directory, passwordFile]) chownSync(path, account.uid, account.gid);

  const options = [
    `--pgdata=${unfinished}`,
    '--username=assay',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // the same on every machine, independent of its locales
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-sync',
    '--no-instructions',
  ];
  await runAs(account, join(binaries.directory, 'bin/initdb'), options);
  renameSync(unfinished, data);
}

function lastPort(directory: string): number {
  const options = join(directory, 'data/postmaster.opts');
  return existsSync(options) ? Number(/port=(\d+)/.exec(readFileSync(options, 'utf8'))?.[1] ?? 0) : 0;
}

function refuseOtherVersion(data: string, version: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found !== version.split('.')[0]) {
    throw new Error(
      `${data} was created by PostgreSQL ${found}, but this is ${version}. Move it away, or set DATABASE_URL.`,
    );
  }
}

async function reachableDirectory(wanted: string, account: Account | undefined): Promise<string> {
  if (!account) return wanted;
  const directory = (await reaches(account, wanted))
    ? wanted
    : join(sharedDirectory(), `postgres-${hash('sha256', wanted).slice(0, 10)}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (statSync(directory).uid !== account.uid) giveTo(directory, account);
  chmodSync(directory, 0o700);
  return directory;
}

function giveTo(directory: string, { uid, gid }: Account): void {
  lchownSync(directory, uid, gid);
  for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    lchownSync(join(parentPath, name), uid, gid);
  }
}
