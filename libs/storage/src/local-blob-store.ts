import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@assay/kernel';
import type { Blob, BlobStore, PutOptions, Range } from './blob-store.js';
import {
  altered,
  blobMissing,
  errorCode,
  isMissing,
  isStorageFull,
  onCodes,
  storageFull,
  tooLarge,
} from './storage-errors.js';

const CHUNK = 1024 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;
/**
 * Modes that let only the account of the service read the store. The API and the evaluators of one
 * home share the store.
 */
const PRIVATE = { file: 0o600, folder: 0o700 } as const;
const OLD_TEMPORARY = 24 * 3600 * 1000;

/**
 * Stores blobs as files of one folder: `blobs/ab/cdef…` by digest, and `temporary/…` while they
 * arrive. A blob appears by a link after its bytes are on disk, so a crash leaves at most a
 * temporary file, which `sweep` removes. The mtime of a file is the time at which its bytes last
 * arrived, even if they were there already, so `deleteUntouched` removes nothing that was just put.
 */
export class LocalBlobStore implements BlobStore {
  /**
   * Blobs that this store lacked before, with the mtime of their files. A later put of the same
   * bytes changes that mtime.
   */
  private readonly brought = new WeakMap<Blob, Date>();

  constructor(private readonly root: string) {}

  /**
   * Opens the store in the folder `root` and creates the folder if it is missing. Makes the folder
   * private to its account, which also protects files that an earlier version wrote with other
   * modes.
   */
  static async open(root: string): Promise<LocalBlobStore> {
    await makeFolder(root);
    // a folder of another account: it decides who may read it
    await chmod(root, PRIVATE.folder).catch(onCodes(['EPERM'], undefined));
    return new LocalBlobStore(root);
  }

  async put(source: Readable, options: PutOptions = {}): Promise<Blob> {
    const temporary = join(this.root, 'temporary', randomUUID());
    const measure = new Measure(options.maxBytes, options.onBytes);
    try {
      await makeFolder(dirname(temporary));
      // opened here: a stream that opens the file itself could do so after the file was refused and
      // removed
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

  async deleteDamaged(digest: string): Promise<boolean> {
    if (!(await this.has(digest)) || (await measured(this.fileOf(digest), {})).digest === digest) return false;
    await this.delete(digest);
    return true;
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
    // no one touches the file after it is moved aside, so its state is then final
    if (!(await succeeds(rename(file, aside), ['ENOENT']))) return null;
    const size = await untouched(aside);
    if (size === null) await this.putBack(digest);
    else await rm(aside, { force: true });
    return size;
  }

  private async stream(digest: string, range: Range, out: PassThrough): Promise<void> {
    const path = this.fileOf(digest);
    const file = await this.inPlace(digest, () => open(path, 'r'));
    // a read buffer has the size of the mark, however small the file: for a thousand small files
    // that is a GB of garbage
    const highWaterMark = Math.min(CHUNK, Math.max(1, (await file.stat()).size));
    await pipeline(file.createReadStream({ ...range, highWaterMark }), out);
  }

  /**
   * Installs `file`, which is already on disk, under the name of its digest, and synchronises the
   * folder.
   */
  private async install(file: string, blob: Blob, source: PutOptions['source'] = 'removed'): Promise<Blob> {
    const target = this.fileOf(blob.digest);
    // the new mtime lets a removal in progress notice that the bytes are needed again
    if (!((await touch(target, timeOf('again'))) && (await this.has(blob.digest)))) {
      await makeFolder(dirname(target));
      // an adopted file has the mode of the process that wrote it
      await chmod(file, PRIVATE.file);
      const now = timeOf('new');
      await utimes(file, now, now);
      if (await linkUnlessThere(file, target)) this.brought.set(blob, now);
      // the same bytes arrived meanwhile, or their file belongs to another user
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

  /** Returns the result of `look` on a blob. Puts a blob that was moved aside back first. */
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

  /** The path to which a blob is moved while its removal is decided. */
  private asideOf(digest: string): string {
    return join(this.root, 'temporary', `aside-${digest}`);
  }

  private fileOf(digest: string): string {
    if (!DIGEST.test(digest)) throw blobMissing(digest);
    return join(this.root, 'blobs', digest.slice(0, 2), digest.slice(2));
  }
}

const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: PRIVATE.folder });

/** Counts and hashes the bytes that pass through. */
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

  /**
   * Reads a whole file through one buffer. One buffer per chunk would create as much garbage as the
   * file has bytes.
   */
  async read(path: string): Promise<void> {
    await using file = await open(path, 'r');
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK);
      if (bytesRead === 0) return;
      this.add(buffer.subarray(0, bytesRead));
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

/**
 * Sets the mtime of a file.
 * @returns false if there is no such file, or if it belongs to another user; the same bytes then
 * take its place
 */
const touch = (path: string, now: Date): Promise<boolean> =>
  succeeds(utimes(path, now, now), ['ENOENT', 'EPERM', 'EACCES']);

/** The blob at `path`, or null if it has just been removed. */
async function blobAt(path: string, digest: string): Promise<Blob | null> {
  const found = await stat(path).catch(() => null);
  return found && { digest, size: found.size };
}

async function measured(path: string, options: PutOptions): Promise<Blob> {
  const measure = new Measure(options.maxBytes);
  await measure.read(path);
  return measure.blob(options.expectedDigest);
}

/**
 * Returns the blob.
 * @throws DomainError `upload_altered` if it is not the one that was declared
 */
function announced(blob: Blob, expectedDigest: string | undefined): Blob {
  if (expectedDigest !== undefined && expectedDigest !== blob.digest) throw altered(expectedDigest, blob.digest);
  return blob;
}

/**
 * Links `file` to `target`.
 * @returns false if `target` exists: others may be putting the same bytes there
 */
const linkUnlessThere = (file: string, target: string): Promise<boolean> => succeeds(link(file, target), ['EEXIST']);

/** Returns whether `work` succeeds; throws its error unless it has one of the codes. */
const succeeds = (work: Promise<void>, codes: readonly string[]): Promise<boolean> =>
  work.then(() => true).catch(onCodes(codes, false));

async function takePlace(file: string, target: string, source: PutOptions['source']): Promise<void> {
  if (source === 'removed') await rename(file, target);
  else await linkUnlessThere(file, target);
}

/**
 * Returns the current time, as an even millisecond for a new blob and an odd one for a blob that
 * arrived again, so that the two cannot be confused.
 */
function timeOf(arrival: 'new' | 'again'): Date {
  const now = Date.now();
  return new Date(now - (now % 2) + (arrival === 'new' ? 0 : 1));
}

async function synchronise(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
