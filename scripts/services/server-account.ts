import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OWNER = 'assay-postgres';

const SHARED = '/var/lib/assay';

/**
 * Returns a folder that every user can enter, for files that the server's user cannot access in
 * their original place.
 */
export function sharedDirectory(): string {
  mkdirSync(SHARED, { recursive: true });
  chmodSync(SHARED, 0o755);
  return SHARED;
}

/**
 * Returns `wanted`, or a folder in the shared one if not every user can enter the folders above
 * `wanted`, such as /root.
 *
 * @param name starts the name of the other folder
 */
export function enterableDirectory(wanted: string, name: string): string {
  for (let above = dirname(wanted); ; above = dirname(above)) {
    // those that are missing are created so that every user can enter them
    if (existsSync(above) && (statSync(above).mode & 0o001) === 0) {
      return join(sharedDirectory(), `${name}-${hash('sha256', wanted).slice(0, 10)}`);
    }
    if (above === dirname(above)) return wanted;
  }
}

/** The user that a server runs as. Undefined means the user of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user that the server runs as if this process is root: a dedicated system user. Never
 * `nobody`: models run under that user ID, and would share its limits and its files.
 */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const system = ['--system', '--user-group', '--no-create-home', '--home-dir=/', '--shell=/usr/sbin/nologin'];
  // another start may be creating it at this moment
  if (!account()) await run('useradd', [...system, OWNER]).catch(() => sleep(500));
  const made = account();
  if (made) return made;
  throw new Error(`PostgreSQL cannot run as root, and creating the system user ${OWNER} failed. Set DATABASE_URL.`);
}

/**
 * Returns whether the server's user may enter or execute `path`. Lets the kernel decide, because
 * the answer depends on every folder of the path.
 */
export async function reaches(account: Account | undefined, path: string): Promise<boolean> {
  if (!account) return true;
  const target = statSync(path).isDirectory() && statSync(path).uid === 0 ? dirname(path) : path;
  return runAs(account, '/usr/bin/test', ['-x', target]).then(
    () => true,
    () => false,
  );
}

/** Runs `command` as `account` in the root folder. */
export function runAs(account: Account | undefined, command: string, parameters: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' };
  return run(command, parameters, { env, cwd: '/', ...account });
}

function account(): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${OWNER}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
