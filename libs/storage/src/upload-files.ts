import { createWriteStream } from 'node:fs';
import { readdir, rm, stat, statfs, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '@assay/kernel';
import { FileStore } from '@tus/file-store';
import { Upload } from '@tus/server';
import { RunningDigests } from './running-digest.js';
import { isMissing, isStorageFull, storageFull } from './storage-errors.js';

const WRITE_BUFFER = 1024 * 1024;
const STATE = '.json';
const DONE = '.done';

/** Files of uploads under way, each with its state beside it; what was completed leaves a note of its size. */
export class UploadFiles extends FileStore {
  private readonly digests = new RunningDigests();

  /** @param onBytes told of bytes before they are written */
  constructor(
    private readonly folder: string,
    private readonly onBytes: (count: number) => void | Promise<void>,
  ) {
    super({ directory: folder });
  }

  fileOf(uploadId: string): string {
    return join(this.folder, uploadId);
  }

  /** Nothing is left of an upload for which there is no room, or that announces more bytes than there is room for. */
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
      // one that was completed still answers, but its bytes were taken over
      if (isMissing(error)) throw complete();
      throw isStorageFull(error) ? storageFull() : error;
    }
    return offset + file.bytesWritten;
  }

  /** The sha256 of all `size` bytes where it was computed as they came; undefined where the file has to be read for it. */
  takeDigest(uploadId: string, size: number): string | undefined {
    return this.digests.take(uploadId, size);
  }

  /** An upload that was completed still answers, so that a client whose last response was lost learns of its success. */
  override async getUpload(uploadId: string): Promise<Upload> {
    const size = await this.completedSize(uploadId);
    return size === null ? super.getUpload(uploadId) : new Upload({ id: uploadId, size, offset: size });
  }

  async completedSize(uploadId: string): Promise<number | null> {
    try {
      return Number(await readFile(this.fileOf(uploadId) + DONE, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async markCompleted(uploadId: string, size: number): Promise<void> {
    const note = this.fileOf(uploadId) + DONE;
    const noted = await writeFile(note, String(size)).catch((error: unknown) => error);
    await this.discard(uploadId);
    // the file was taken over: where there is no room for the note its sender is told of it now, if not later
    if (isStorageFull(noted)) await rm(note, { force: true });
    else if (noted !== undefined) throw noted as Error;
  }

  /** Removes the bytes and the state of an upload. */
  async discard(uploadId: string): Promise<void> {
    this.digests.forget(uploadId);
    await rm(this.fileOf(uploadId), { force: true });
    await rm(this.fileOf(uploadId) + STATE, { force: true });
  }

  /** Ids of the uploads that have not been completed, those of `owner` only if given. */
  async unfinished(owner?: string): Promise<string[]> {
    return (await this.names(STATE)).filter((id) => owner === undefined || ownerOf(id) === owner);
  }

  async completed(owner: string): Promise<string[]> {
    return (await this.names(DONE)).filter((id) => ownerOf(id) === owner);
  }

  /** Removes what nobody has touched since `before`. @returns how many uploads. */
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

  /** Bytes that are free. */
  private async room(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  private async names(suffix: string): Promise<string[]> {
    const files = await readdir(this.folder).catch(() => []);
    return files.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  }
}

/** The id under which an upload was opened: an upload's own id is `<owner>.<random>`. */
export function ownerOf(uploadId: string): string {
  return uploadId.slice(0, uploadId.lastIndexOf('.'));
}

const complete = (): DomainError =>
  new DomainError('conflict', 'upload_complete', 'This upload is complete: it takes nothing more.');
