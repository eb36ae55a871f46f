import { posix } from 'node:path';

import type { TarEntry } from './tar-header.js';

const MODEL_ID = 65_534;
const MAX_PATHS = 100;
const PATHS = 20;
const PATH_LENGTH = 1024;
const READ = 4;
const EXECUTE = 1;

/**
 * Collects the paths that uid and gid 65534, the user of models, cannot read: those of an image's
 * working directory and those that its command names. A higher layer may correct what a lower one
 * has. Paths behind symlinks are not checked.
 */
export class UnreadablePaths {
  private readonly found = new Set<string>();
  private readonly named: ReadonlySet<string>;
  private readonly workingDirectory: string;
  private readonly program: string | undefined;
  private readonly onTheWay: ReadonlySet<string>;

  /** @param command the entrypoint, then its arguments */
  constructor(workingDirectory: string, command: readonly string[]) {
    this.workingDirectory = workingDirectory.replace(/\/$/, '');
    this.program = command[0]?.startsWith('/') ? posix.normalize(command[0]) : undefined;
    const paths = command.filter((word) => word.startsWith('/') && word.length <= PATH_LENGTH).slice(0, PATHS);
    this.named = new Set(paths.map((path) => posix.normalize(path)));
    this.onTheWay = new Set([this.workingDirectory, ...this.named].flatMap(ancestors));
  }

  /** Records an entry of a layer, which replaces the earlier record of `path`. */
  see(path: string, kind: 'file' | 'directory', { mode, uid, gid }: Pick<TarEntry, 'mode' | 'uid' | 'gid'>): void {
    const needed = this.needed(path, kind);
    if (needed === 0) return;
    const granted = uid === MODEL_ID ? mode >> 6 : gid === MODEL_ID ? mode >> 3 : mode;
    if ((granted & needed) === needed) this.found.delete(path);
    else if (this.found.size < MAX_PATHS) this.found.add(path);
  }

  /** Removes `path` and everything below it, which a higher layer hides. */
  remove(path: string): void {
    for (const known of this.found) if (known === path || known.startsWith(`${path}/`)) this.found.delete(known);
  }

  first(count: number): string[] {
    return [...this.found].slice(0, count);
  }

  private needed(path: string, kind: 'file' | 'directory'): number {
    if (kind === 'directory' && this.onTheWay.has(path)) return EXECUTE;
    const isBelow = this.workingDirectory !== '' && `${path}/`.startsWith(`${this.workingDirectory}/`);
    if (!isBelow && !this.named.has(path)) return 0;
    return kind === 'directory' || path === this.program ? READ | EXECUTE : READ;
  }
}

function ancestors(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}
