import { createWriteStream } from 'node:fs';
import { readdir, rm, stat, statfs, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@assay/kernel';
import { FileStore } from '@tus/file-store';
import { Upload } from '@tus/server';
import { RunningDigests } from './running-digest.js';
import { isMissing, isStorageFull, onCodes, storageFull } from './storage-errors.js';

const WRITE_BUFFER = 1024 * 1024;
const STATE = '.json';
const DONE = '.done';

/**
 * The files of uploads in progress, each next to its state. A completed upload leaves a note with
 * its size.
 */
export class UploadFiles extends FileStore {
  private readonly digests = new RunningDigests();

  /** @param onBytes called with the number of bytes before they are written */
  constructor(
    private readonly folder: string,
    private readonly onBytes: (count: number) => void | Promise<void>,
  ) {
    super({ directory: folder });
  }

  fileOf(uploadId: string): string {
    return join(this.folder, uploadId);
  }

  /**
   * Creates an upload.
   * @throws DomainError `storage_full` if there is no room for it or for the bytes that it
   * announces; nothing of it remains then
   */
  override async create(upload: Upload): Promise<Upload> {
    if ((upload.size ?? 0) > (await this.room())) throw storageFull();
    try {
      return await super.create(upload);
    } catch (error) {
      await this.discard(upload.id);
      throw isStorageFull(error) ? storageFull() : error;
    }
  }

  override async write(source: Readable, uploadId: string, offset: number): Promise<number> {
    const file = createWriteStream(this.fileOf(uploadId), { flags: 'r+', start: offset, highWaterMark: WRITE_BUFFER });
    try {
      await pipeline(this.digests.pass(uploadId, offset, this.counted(source as AsyncIterable<Buffer>)), file);
    } catch (error) {
      // a completed upload still answers, but its file was taken over
      if (isMissing(error)) throw complete();
      throw isStorageFull(error) ? storageFull() : error;
    }
    return offset + file.bytesWritten;
  }

  /**
   * Returns the sha256 of all `size` bytes if it was computed as they arrived; otherwise undefined,
   * and the file has to be read.
   */
  takeDigest(uploadId: string, size: number): string | undefined {
    return this.digests.take(uploadId, size);
  }

  /**
   * Returns the state of an upload. A completed one is still found, so that a client that lost the
   * last response learns of its success.
   */
  override async getUpload(uploadId: string): Promise<Upload> {
    const size = await this.completedSize(uploadId);
    return size === null ? super.getUpload(uploadId) : new Upload({ id: uploadId, size, offset: size });
  }

  async completedSize(uploadId: string): Promise<number | null> {
    const note = await readFile(this.fileOf(uploadId) + DONE, 'utf8').catch(onCodes(['ENOENT'], null));
    return note === null ? null : Number(note);
  }

  async markCompleted(uploadId: string, size: number): Promise<void> {
    const note = this.fileOf(uploadId) + DONE;
    const noted = await writeFile(note, String(size)).catch((error: unknown) => error);
    await this.discard(uploadId);
    // the file was already taken over: without room for the note, the sender learns of the success
    // now or not at all
    if (isStorageFull(noted)) await rm(note, { force: true });
    else if (noted !== undefined) throw noted as Error;
  }

  /** Removes the bytes and the state of an upload. */
  async discard(uploadId: string): Promise<void> {
    this.digests.forget(uploadId);
    await rm(this.fileOf(uploadId), { force: true });
    await rm(this.fileOf(uploadId) + STATE, { force: true });
  }

  /** Returns the IDs of the incomplete uploads, only those of `owner` if given. */
  async unfinished(owner?: string): Promise<string[]> {
    return (await this.names(STATE)).filter((id) => owner === undefined || ownerOf(id) === owner);
  }

  async completed(owner: string): Promise<string[]> {
    return (await this.names(DONE)).filter((id) => ownerOf(id) === owner);
  }

  /**
   * Removes uploads and notes that were not touched since `before`.
   * @returns the number of uploads removed
   */
  async removeUntouched(before: Date): Promise<number> {
    let removed = 0;
    for (const uploadId of await this.names(STATE)) {
      const found = await stat(this.fileOf(uploadId)).catch(() => null);
      if (found && found.mtime >= before) continue;
      await this.discard(uploadId);
      removed++;
    }
    for (const uploadId of await this.names(DONE)) {
      const note = this.fileOf(uploadId) + DONE;
      const found = await stat(note).catch(() => null);
      if (found && found.mtime < before) await rm(note, { force: true });
    }
    return removed;
  }

  private async *counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await this.onBytes(chunk.length);
      yield chunk;
    }
  }

  /** The free bytes of the disk. */
  private async room(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  private async names(suffix: string): Promise<string[]> {
    const files = await readdir(this.folder).catch(() => []);
    return files.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  }
}

/**
 * Returns the ID for which an upload was opened. The ID of the upload itself is `<owner>.<random>`.
 */
export function ownerOf(uploadId: string): string {
  return uploadId.slice(0, uploadId.lastIndexOf('.'));
}

const complete = (): DomainError =>
  new DomainError('conflict', 'upload_complete', 'This upload is complete and accepts no more bytes.');
