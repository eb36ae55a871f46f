import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { referencedBlobs } from '@assay/application/blobs';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { mayRemoveBytes } from '@assay/persistence';
import { HostLock, withAdvisoryLock } from '@assay/persistence/locks';
import type { BlobStore, OrphanMarks, Removed } from '@assay/storage';
import type { EntityManager } from '@mikro-orm/postgresql';

export interface GarbageCollectorParts {
  readonly em: EntityManager;
  readonly blobs: Pick<BlobStore, 'list' | 'sweep'>;
  readonly marks: Pick<OrphanMarks, 'sweep'>;
  /** Parent folder of the work folders of the processes of this home, which bear their names. */
  readonly workFolders: string;
  /** The name of this process. */
  readonly instance: string;
  readonly graceMilliseconds: number;
}

/** The number of removed files and folders by kind. */
export interface Cleared {
  /** Blobs without a row. Null if another process is collecting them or a backup is being taken. */
  readonly blobs: Removed | null;
  /** Files of uploads that never finished. */
  readonly partial: number;
  /** Work folders of processes that never came back. */
  readonly work: number;
}

/**
 * Garbage collection of the disk: removes leftovers of killed processes, and files whose rows have
 * been deleted.
 */
export class GarbageCollector {
  constructor(private readonly parts: GarbageCollectorParts) {}

  async clear(now: Date): Promise<Cleared> {
    const { blobs, graceMilliseconds } = this.parts;
    return {
      partial: await blobs.sweep(now, graceMilliseconds),
      work: await this.clearWork(now),
      blobs: await this.clearBlobs(now),
    };
  }

  private async clearBlobs(now: Date): Promise<Removed | null> {
    const { em, blobs, marks, graceMilliseconds } = this.parts;
    const orphans = new Set<string>();
    // listed before the rows are read: a blob that arrives later is not a candidate, and a listed
    // blob whose row is written later has just arrived, so the grace period protects it
    for await (const { digest } of blobs.list()) orphans.add(digest);
    return withAdvisoryLock(em, 'assay orphans', async (locked) => {
      if (!(await mayRemoveBytes(locked))) return null;
      for (const digest of await referencedBlobs(locked)) orphans.delete(digest);
      return marks.sweep(orphans, now, graceMilliseconds);
    });
  }

  private async clearWork(now: Date): Promise<number> {
    const { workFolders, instance, graceMilliseconds } = this.parts;
    const due = now.getTime() - graceMilliseconds;
    let removed = 0;
    for (const name of await readdir(workFolders).catch(() => [])) {
      const folder = join(workFolders, name);
      if (name === instance || (await this.isThere(name)) || (await lastChange(folder)) > due) continue;
      await rm(folder, { recursive: true, force: true });
      removed++;
    }
    return removed;
  }

  /**
   * True if the worker was seen within the grace period, or holds the lock with its name on this
   * host.
   */
  private async isThere(name: string): Promise<boolean> {
    const { em, graceMilliseconds } = this.parts;
    const seen = await new WorkerPresenceRepository(em.fork()).seenWithin(graceMilliseconds / 1000);
    return seen.some((worker) => worker.name === name) || HostLock.isHeld(`worker-${name}`);
  }
}

/** Returns the last modification time of anything in the folder, in milliseconds since 1970. */
async function lastChange(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true }).catch(() => []);
  let last = 0;
  for (const path of ['', ...paths]) {
    const found = await stat(join(folder, path)).catch(() => null);
    last = Math.max(last, found?.mtimeMs ?? 0);
  }
  return last;
}
