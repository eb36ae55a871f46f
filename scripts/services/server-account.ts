import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OWNER = 'assay-postgres';

const SHARED = '/var/lib/assay';

/** A folder that every user can enter, for what a server cannot reach where it lies. */
export function sharedDirectory(): string {
  mkdirSync(SHARED, { recursive: true });
  chmodSync(SHARED, 0o755);
  return SHARED;
}

/** Who a server runs as; nothing means: as this process does. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Who the server runs as when this process is root: a system user of its own. Never `nobody`: models run under that
 * number, and its limits and its files would be shared with them.
 */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = account(OWNER);
  if (known) return known;
  const system = ['--system', '--user-group', '--no-create-home', '--home-dir=/', '--shell=/usr/sbin/nologin'];
  // another start may be making it in this moment
  await run('useradd', [...system, OWNER]).catch(() => sleep(500));
  const made = account(OWNER);
  if (made) return made;
  throw new Error(`PostgreSQL may not run as root, and there could be no system user ${OWNER}. Set DATABASE_URL.`);
}

/** Whether the server's user may enter or run `path`: asked of the kernel, which knows every folder on the way. */
export async function reaches(account: Account | undefined, path: string): Promise<boolean> {
  if (!account) return true;
  const target = statSync(path).isDirectory() && statSync(path).uid === 0 ? dirname(path) : path;
  return runAs(account, '/usr/bin/test', ['-x', target]).then(
    () => true,
    () => false,
  );
}

/** What `command` prints, run as `account` in the root folder. */
export async function runAs(
  account: Account | undefined,
  command: string,
  parameters: readonly string[],
): Promise<string> {
  const environment = { env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' }, cwd: '/' };
  if (!account) return (await run(command, [...parameters], environment)).stdout;
  const user = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--'];
  return (await run('/usr/bin/setpriv', [...user, command, ...parameters], environment)).stdout;
}

function account(name: string): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
