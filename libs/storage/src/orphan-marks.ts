import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.js';

export interface Removed {
  readonly files: number;
  readonly bytes: number;
}

/**
 * The most files removed per sweep, so that a lock that the caller holds is held for seconds only.
 */
const MOST_AT_ONCE = 2000;

/**
 * Records since when each blob has had no row that names it: an empty file per blob, next to the
 * blobs, so that all processes that share the blobs share the marks. A blob is removed after a
 * whole grace period without a row, in which no one put the same bytes either. By then a reader
 * that took its digest from a deleted row has long finished.
 */
export class OrphanMarks {
  constructor(
    private readonly folder: string,
    private readonly blobs: Pick<BlobStore, 'deleteUntouched'>,
  ) {}

  /**
   * Updates the marks and removes the blobs whose grace period is over.
   * @param orphans the digests of all blobs that no row names
   */
  async sweep(orphans: ReadonlySet<string>, now: Date, graceMilliseconds: number): Promise<Removed> {
    await mkdir(this.folder, { recursive: true });
    const marked = await readdir(this.folder);
    for (const digest of marked) if (!orphans.has(digest)) await this.unmark(digest);

    const due = new Date(now.getTime() - graceMilliseconds);
    let [files, bytes] = [0, 0];
    for (const digest of orphans) {
      if (files === MOST_AT_ONCE) break;
      const since = await this.since(digest);
      if (!since) await this.mark(digest, now);
      if (!since || since > due) continue;
      const size = await this.blobs.deleteUntouched(digest, due);
      // a blob that was put again starts a new grace period
      await (size === null ? this.mark(digest, now) : this.unmark(digest));
      if (size === null) continue;
      files++;
      bytes += size;
    }
    return { files, bytes };
  }

  private async since(digest: string): Promise<Date | null> {
    const found = await stat(join(this.folder, digest)).catch(() => null);
    return found && found.mtime;
  }

  private async mark(digest: string, now: Date): Promise<void> {
    const path = join(this.folder, digest);
    await writeFile(path, '');
    await utimes(path, now, now);
  }

  private async unmark(digest: string): Promise<void> {
    await rm(join(this.folder, digest), { force: true });
  }
}
