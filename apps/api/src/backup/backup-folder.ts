import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '@assay/kernel';
import { LocalBlobStore } from '@assay/storage';
import { readBlobs, readManifest } from './manifest.js';

const UNFINISHED = '.unfinished-';
const NAME = /^\d{8}T\d{6}Z(?:-\d+)?$/;

/**
 * Where backups lie: `snapshots/<time>/`, each whole by itself but for the blobs, which all of them share: `blobs/ab/cdef…`. A snapshot
 * appears by a rename, once everything of it is on the disk.
 */
export class BackupFolder {
  readonly blobs: LocalBlobStore;
  private readonly snapshots: string;

  constructor(private readonly path: string) {
    this.blobs = new LocalBlobStore(path);
    this.snapshots = join(path, 'snapshots');
  }

  /** Makes the folder, for its owner alone, and removes what a backup that was cut has left. */
  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await mkdir(this.snapshots, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.snapshots)) {
      if (name.startsWith(UNFINISHED)) await rm(join(this.snapshots, name), { recursive: true });
    }
    await this.blobs.sweep(new Date(), 0);
  }

  /** @returns the folder in which a snapshot of this name is written */
  async begin(name: string): Promise<string> {
    const folder = join(this.snapshots, UNFINISHED + name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  /** Has the snapshot appear, once all of it is on the disk. */
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

  /** Names of whole snapshots, the oldest first. */
  async list(): Promise<string[]> {
    return (await readdir(this.snapshots).catch(() => [])).filter((name) => NAME.test(name)).sort();
  }

  /** A name that no snapshot has: its time, to the second, in UTC. */
  async nameFor(time: Date): Promise<string> {
    const base = time.toISOString().replace(/[-:]|\.\d+/g, '');
    const taken = await this.list();
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}-${count}`;
      if (!taken.includes(name)) return name;
    }
  }

  /** The snapshot of that name, or the newest. @throws DomainError `no_backup` */
  async choose(name: string | undefined): Promise<string> {
    const all = await this.list();
    const chosen = name === undefined ? all.at(-1) : all.find((each) => each === name);
    if (chosen !== undefined) return chosen;
    const there = all.length > 0 ? `It has ${all.join(', ')}.` : 'It has none: a backup that was cut is none.';
    throw new DomainError(
      'not-found',
      'no_backup',
      `${this.path} has no ${name === undefined ? 'whole snapshot' : `snapshot ${name}`}. ${there}`,
    );
  }

  /** Removes all snapshots but the newest `count`, then the blobs that are in none of those. @returns the names of what is gone */
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
