import { access, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** The default limit of the cache in bytes. */
const LARGEST_CACHE = 20e9;
const PARTIAL = '.part';

/** An artifact on the disk. Its file stays until it is released. */
export interface CachedArtifact {
  readonly path: string;
  release(): void;
}

interface CachedFile {
  readonly size: number;
  uses: number;
}

/** Stores downloaded artifacts by digest, up to a number of bytes. Removes the least recently used ones. */
export class ArtifactCache {
  private readonly downloads = new Map<string, Promise<void>>();

  private constructor(
    private readonly folder: string,
    private readonly limit: number,
    /** Files by digest, the least recently used first. */
    private readonly files: Map<string, CachedFile>,
  ) {}

  /**
   * Opens the cache in a folder that no other process uses.
   * @param limit bytes; exceeded only by artifacts that are in use
   */
  static async open(folder: string, limit = LARGEST_CACHE): Promise<ArtifactCache> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const found: { digest: string; size: number; usedAt: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.endsWith(PARTIAL)) await rm(path);
      else found.push(await stat(path).then(({ size, mtimeMs }) => ({ digest: name, size, usedAt: mtimeMs })));
    }
    found.sort((a, b) => a.usedAt - b.usedAt);
    return new ArtifactCache(folder, limit, new Map(found.map(({ digest, size }) => [digest, { size, uses: 0 }])));
  }

  /**
   * Returns an artifact, and keeps its file until it is released.
   * @param size in bytes
   * @param download writes the verified bytes to a path. Concurrent callers share one download. If it
   * fails, the others try their own.
   */
  async use(digest: string, size: number, download: (path: string) => Promise<void>): Promise<CachedArtifact> {
    for (;;) {
      const cached = await this.cached(digest);
      if (cached) return cached;
      const running = this.downloads.get(digest);
      if (running) await running.catch(() => undefined);
      else await this.download(digest, size, download);
    }
  }

  private async cached(digest: string): Promise<CachedArtifact | null> {
    const file = this.files.get(digest);
    if (!file) return null;
    this.files.delete(digest);
    this.files.set(digest, file);
    file.uses++;
    const path = join(this.folder, digest);
    try {
      await access(path);
    } catch {
      if (this.files.get(digest) === file) this.files.delete(digest);
      return null;
    }
    const now = new Date();
    // only the order after a restart depends on it
    await utimes(path, now, now).catch(() => undefined);
    let isHeld = true;
    const release = () => {
      if (isHeld) file.uses--;
      isHeld = false;
    };
    return { path, release };
  }

  private download(digest: string, size: number, download: (path: string) => Promise<void>): Promise<void> {
    const path = join(this.folder, digest);
    const partial = `${path}${PARTIAL}`;
    const fetched = (async () => {
      try {
        await this.makeRoom(size);
        await download(partial);
        await rename(partial, path);
        this.files.set(digest, { size, uses: 0 });
      } finally {
        this.downloads.delete(digest);
        await rm(partial, { force: true });
      }
    })();
    this.downloads.set(digest, fetched);
    return fetched;
  }

  private async makeRoom(size: number): Promise<void> {
    let total = [...this.files.values()].reduce((sum, file) => sum + file.size, size);
    for (const [digest, file] of [...this.files]) {
      if (total <= this.limit) return;
      if (file.uses > 0 || this.files.get(digest) !== file) continue;
      this.files.delete(digest);
      total -= file.size;
      await rm(join(this.folder, digest), { force: true });
    }
  }
}
