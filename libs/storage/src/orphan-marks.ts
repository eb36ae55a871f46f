import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.js';

export interface Removed {
  readonly files: number;
  readonly bytes: number;
}

/** In one go, so that whoever holds a lock meanwhile holds it for seconds. */
const MOST_AT_ONCE = 2000;

/**
 * Since when blobs have been seen without a row that names them: an empty file for each, beside the blobs, so that all who share those share
 * the marks. A blob goes once it was without a name for the whole of a grace, in which nobody put the same bytes either: a reader that had
 * its digest from a row which is gone has long ended by then.
 */
export class OrphanMarks {
  constructor(
    private readonly folder: string,
    private readonly blobs: Pick<BlobStore, 'deleteUntouched'>,
  ) {}

  /** @param orphans the digests of all blobs that no row names */
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
      // what was put again waits anew
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
