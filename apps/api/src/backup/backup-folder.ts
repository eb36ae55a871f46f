import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '@assay/kernel';
import { LocalBlobStore } from '@assay/storage';
import { readBlobs, readManifest } from './manifest.js';

const UNFINISHED = '.unfinished-';
const NAME = /^\d{8}T\d{6}Z(?:-\d+)?$/;

/**
 * The folder of the backups. Each snapshot in `snapshots/<time>/` is complete except for the blobs,
 * which all snapshots share: `blobs/ab/cdef…`. A snapshot appears by a rename, once all of it is on
 * disk.
 */
export class BackupFolder {
  readonly blobs: LocalBlobStore;
  private readonly snapshots: string;

  constructor(private readonly path: string) {
    this.blobs = new LocalBlobStore(path);
    this.snapshots = join(path, 'snapshots');
  }

  /** Creates the folder, readable by its owner only, and removes what interrupted backups left. */
  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await mkdir(this.snapshots, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.snapshots)) {
      if (name.startsWith(UNFINISHED)) await rm(join(this.snapshots, name), { recursive: true });
    }
    await this.blobs.sweep(new Date(), 0);
  }

  /**
   * Creates an unfinished snapshot.
   * @returns the folder to write it to
   */
  async begin(name: string): Promise<string> {
    const folder = join(this.snapshots, UNFINISHED + name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Makes the snapshot appear, once all of it is on disk. */
  async complete(name: string): Promise<void> {
    const folder = join(this.snapshots, UNFINISHED + name);
    const found = await readdir(folder, { recursive: true });
    await Promise.all([folder, ...found.map((path) => join(folder, path))].map(synchronise));
    await rename(folder, this.folderOf(name));
    await synchronise(this.snapshots);
  }

  folderOf(name: string): string {
    return join(this.snapshots, name);
  }

  /** Returns the names of the complete snapshots, oldest first. */
  async list(): Promise<string[]> {
    return (await readdir(this.snapshots).catch(() => [])).filter((name) => NAME.test(name)).sort();
  }

  /**
   * Returns an unused name for a snapshot: its time in UTC, to the second, with a suffix if it is
   * taken.
   */
  async nameFor(time: Date): Promise<string> {
    const base = time.toISOString().replace(/[-:]|\.\d+/g, '');
    const taken = await this.list();
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}-${count}`;
      if (!taken.includes(name)) return name;
    }
  }

  /**
   * Returns the name of the given or the newest snapshot.
   * @throws DomainError `no_backup`
   */
  async choose(name: string | undefined): Promise<string> {
    const all = await this.list();
    const chosen = name === undefined ? all.at(-1) : all.find((each) => each === name);
    if (chosen !== undefined) return chosen;
    const there = all.length > 0 ? `Its snapshots are ${all.join(', ')}.` : 'An interrupted backup cannot be restored.';
    throw new DomainError(
      'not-found',
      'no_backup',
      `${this.path} has no ${name === undefined ? 'complete snapshot' : `snapshot ${name}`}. ${there}`,
    );
  }

  /**
   * Removes all snapshots except the newest `count`, then the blobs that no remaining snapshot
   * names.
   * @returns the names of the removed snapshots
   */
  async keepNewest(count: number): Promise<string[]> {
    const all = await this.list();
    const leaving = all.slice(0, -count);
    if (leaving.length === 0) return [];
    const named = new Set<string>();
    for (const name of all.slice(-count)) {
      const folder = this.folderOf(name);
      for (const { digest } of await readBlobs(folder, await readManifest(folder))) named.add(digest);
    }
    for (const name of leaving) await rm(this.folderOf(name), { recursive: true });
    for await (const { digest } of this.blobs.list()) if (!named.has(digest)) await this.blobs.delete(digest);
    return leaving;
  }
}

async function synchronise(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
