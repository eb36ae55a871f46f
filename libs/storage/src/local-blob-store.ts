import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@assay/kernel';
import type { Blob, BlobStore, PutOptions, Range } from './blob-store.js';
import { altered, blobMissing, errorCode, isMissing, isStorageFull, storageFull, tooLarge } from './storage-errors.js';

const CHUNK = 1024 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;
/** Nobody but the account of the service reads what is stored: the API and the evaluators of one home share it. */
const PRIVATE = { file: 0o600, folder: 0o700 } as const;
const OLD_TEMPORARY = 24 * 3600 * 1000;

/**
 * Blobs as files of one folder: `blobs/ab/cdef…` by digest, `temporary/…` while they arrive. A blob appears by a link
 * after its bytes are on the disk, so a crash leaves at most a temporary file, which `sweep` removes. The time of a file is when its bytes
 * last arrived, also where they were there already: `deleteUntouched` removes nothing that was just put.
 */
export class LocalBlobStore implements BlobStore {
  /** Blobs that were not here before, with the time of their file. Whoever puts the same later changes that time. */
  private readonly brought = new WeakMap<Blob, Date>();

  constructor(private readonly root: string) {}

  /**
   * The store in the folder `root`, which is made where it is missing. The folder becomes private to its account, and with
   * it the files of a store that an earlier version wrote with other modes.
   */
  static async open(root: string): Promise<LocalBlobStore> {
    await makeFolder(root);
    await chmod(root, PRIVATE.folder).catch((error: unknown) => {
      // another account owns it, and decides who may read it
      if (errorCode(error) !== 'EPERM') throw error;
    });
    return new LocalBlobStore(root);
  }

  async put(source: Readable, options: PutOptions = {}): Promise<Blob> {
    const temporary = join(this.root, 'temporary', randomUUID());
    const measure = new Measure(options.maxBytes, options.onBytes);
    try {
      await makeFolder(dirname(temporary));
      // a stream that opens the file itself may do so after what it was for was refused, and removed
      const file = await open(temporary, 'wx', PRIVATE.file);
      await pipeline(
        source,
        (chunks: AsyncIterable<Buffer>) => measure.pass(chunks),
        file.createWriteStream({ highWaterMark: CHUNK, flush: true }),
      );
      return await this.install(temporary, measure.blob(options.expectedDigest));
    } catch (error) {
      await rm(temporary, { force: true });
      throw isStorageFull(error) ? storageFull() : error;
    }
  }

  async adopt(path: string, options: PutOptions = {}): Promise<Blob> {
    const { size } = await stat(path);
    if (options.maxBytes !== undefined && size > options.maxBytes) throw tooLarge(options.maxBytes);
    const blob =
      options.knownDigest === undefined
        ? await measured(path, options)
        : announced({ digest: options.knownDigest, size }, options.expectedDigest);
    try {
      await synchronise(path);
      return await this.install(path, blob, options.source);
    } catch (error) {
      if (errorCode(error) === 'EXDEV') return this.adoptFromElsewhere(path, blob, options.source);
      throw isStorageFull(error) ? storageFull() : error;
    }
  }

  open(digest: string, range: Range = {}): Readable {
    const out = new PassThrough({ highWaterMark: CHUNK });
    void this.stream(digest, range, out).catch((error: unknown) => {
      out.destroy(isMissing(error) ? blobMissing(digest) : (error as Error));
    });
    return out;
  }

  async path(digest: string): Promise<string> {
    await this.size(digest);
    return this.fileOf(digest);
  }

  async size(digest: string): Promise<number> {
    const file = this.fileOf(digest);
    try {
      return (await this.inPlace(digest, () => stat(file))).size;
    } catch (error) {
      throw isMissing(error) ? blobMissing(digest) : error;
    }
  }

  async has(digest: string): Promise<boolean> {
    try {
      await this.size(digest);
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  async *list(): AsyncGenerator<Blob> {
    const root = join(this.root, 'blobs');
    for (const start of await readdir(root).catch(() => [])) {
      const folder = join(root, start);
      const rests = await readdir(folder).catch(() => []);
      const blobs = await Promise.all(rests.map((rest) => blobAt(join(folder, rest), start + rest)));
      yield* blobs.filter((blob) => blob !== null);
    }
  }

  async delete(digest: string): Promise<void> {
    await rm(this.fileOf(digest), { force: true });
  }

  async deleteUntouched(digest: string, before: Date): Promise<number | null> {
    return this.deleteWhere(digest, (arrived) => arrived < before);
  }

  async withdraw(blob: Blob): Promise<void> {
    const brought = this.brought.get(blob)?.getTime();
    if (brought !== undefined) await this.deleteWhere(blob.digest, (arrived) => arrived.getTime() === brought);
  }

  async sweep(now: Date, olderThan = OLD_TEMPORARY): Promise<number> {
    const folder = join(this.root, 'temporary');
    let removed = 0;
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name);
      const found = await stat(file).catch(() => null);
      if (!found || now.getTime() - found.mtimeMs < olderThan) continue;
      await rm(file, { force: true });
      removed++;
    }
    return removed;
  }

  private async deleteWhere(digest: string, isDue: (arrived: Date) => boolean): Promise<number | null> {
    const file = this.fileOf(digest);
    const aside = this.asideOf(digest);
    const untouched = async (path: string): Promise<number | null> => {
      const found = await stat(path).catch(() => null);
      return found && isDue(found.mtime) ? found.size : null;
    };
    if ((await untouched(file)) === null) return null;
    await makeFolder(dirname(aside));
    // once it is aside nobody touches it, so that what is seen then is final
    try {
      await rename(file, aside);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    const size = await untouched(aside);
    if (size === null) await this.putBack(digest);
    else await rm(aside, { force: true });
    return size;
  }

  private async stream(digest: string, range: Range, out: PassThrough): Promise<void> {
    const path = this.fileOf(digest);
    const file = await this.inPlace(digest, () => open(path, 'r'));
    // a buffer is as large as the mark, however little is read: for a thousand small files that is a GB of garbage
    const highWaterMark = Math.min(CHUNK, Math.max(1, (await file.stat()).size));
    await pipeline(file.createReadStream({ ...range, highWaterMark }), out);
  }

  /** `file` is on the disk already; this gives it its name, on the disk as well. */
  private async install(file: string, blob: Blob, source: PutOptions['source'] = 'removed'): Promise<Blob> {
    const target = this.fileOf(blob.digest);
    // what was about to be removed is seen to be back
    if (!((await touch(target, timeOf('again'))) && (await this.has(blob.digest)))) {
      await makeFolder(dirname(target));
      // an adopted file has the mode of the process that wrote it
      await chmod(file, PRIVATE.file);
      const now = timeOf('new');
      await utimes(file, now, now);
      if (await linkUnlessThere(file, target)) this.brought.set(blob, now);
      // the same came meanwhile, or is another user's
      else if (!(await touch(target, timeOf('again')))) await takePlace(file, target, source);
      await synchronise(dirname(target));
    }
    if (source === 'removed') await rm(file, { force: true });
    return blob;
  }

  private async adoptFromElsewhere(path: string, { digest }: Blob, source?: PutOptions['source']): Promise<Blob> {
    const blob = await this.put(createReadStream(path, { highWaterMark: CHUNK }), { expectedDigest: digest });
    if (source !== 'kept') await rm(path, { force: true });
    return blob;
  }

  /** What `look` finds of a blob; one that lies aside is put back before. */
  private async inPlace<T>(digest: string, look: () => Promise<T>): Promise<T> {
    try {
      return await look();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.putBack(digest);
      return look();
    }
  }

  private async putBack(digest: string): Promise<void> {
    const file = this.fileOf(digest);
    const isBack = await rename(this.asideOf(digest), file).then(
      () => true,
      () => false,
    );
    if (isBack) await touch(file, timeOf('again'));
  }

  /** Where a blob lies while it is decided whether it goes. */
  private asideOf(digest: string): string {
    return join(this.root, 'temporary', `aside-${digest}`);
  }

  private fileOf(digest: string): string {
    if (!DIGEST.test(digest)) throw blobMissing(digest);
    return join(this.root, 'blobs', digest.slice(0, 2), digest.slice(2));
  }
}

const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: PRIVATE.folder });

/** Counts and hashes bytes on their way through. */
class Measure {
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(
    private readonly maxBytes: number | undefined,
    private readonly onBytes?: PutOptions['onBytes'],
  ) {}

  async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk);
      await this.onBytes?.(chunk.length);
      yield chunk;
    }
  }

  /** All of a file, through one buffer: one for each chunk would be as much garbage as the file has bytes. */
  async read(path: string): Promise<void> {
    const file = await open(path, 'r');
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    try {
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK);
        if (bytesRead === 0) return;
        this.add(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.maxBytes !== undefined && this.size > this.maxBytes) throw tooLarge(this.maxBytes);
    this.hash.update(chunk);
  }

  blob(expectedDigest: string | undefined): Blob {
    return announced({ digest: this.hash.digest('hex'), size: this.size }, expectedDigest);
  }
}

/** @returns false where there is no such file, or it is another user's: then the same bytes take its place */
async function touch(path: string, now: Date): Promise<boolean> {
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error) || errorCode(error) === 'EPERM' || errorCode(error) === 'EACCES') return false;
    throw error;
  }
}

/** Null where it has just been removed. */
async function blobAt(path: string, digest: string): Promise<Blob | null> {
  const found = await stat(path).catch(() => null);
  return found && { digest, size: found.size };
}

async function measured(path: string, options: PutOptions): Promise<Blob> {
  const measure = new Measure(options.maxBytes);
  await measure.read(path);
  return measure.blob(options.expectedDigest);
}

/** The blob, if it is the one that was announced. */
function announced(blob: Blob, expectedDigest: string | undefined): Blob {
  if (expectedDigest !== undefined && expectedDigest !== blob.digest) throw altered(expectedDigest, blob.digest);
  return blob;
}

/** @returns false where there is such a file: others may be putting the same bytes there */
async function linkUnlessThere(file: string, target: string): Promise<boolean> {
  try {
    await link(file, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function takePlace(file: string, target: string, source: PutOptions['source']): Promise<void> {
  if (source === 'removed') await rename(file, target);
  else await linkUnlessThere(file, target);
}

/** Now: of what is new an even millisecond, of what comes again an odd one, so that the two can't be taken for each other. */
function timeOf(arrival: 'new' | 'again'): Date {
  const now = Date.now();
  return new Date(now - (now % 2) + (arrival === 'new' ? 0 : 1));
}

async function synchronise(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
