import { randomUUID } from 'node:crypto';
import type { StatsFs } from 'node:fs';
import { type FileHandle, mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isStorageFull, storageFull } from './storage-errors.js';

export interface NamelessFile {
  readonly content: Readable;
  readonly bytes: number;
}

/** Bytes written between two checks of the free space. */
const LOOK_EVERY = 16 * 2 ** 20;
/** The space that must stay free: `LEFT_FREE` bytes, or this share of a small disk. */
const LEFT_FREE = 2 ** 30;
const SHARE_LEFT_FREE = 0.05;

/**
 * Collects what `fill` writes in a file without a name and returns the file for reading. A slow
 * sender or reader then keeps no one else waiting, and errors occur before the first byte is read.
 * The file disappears with its reader or with the process.
 * @throws DomainError `storage_full`, also before the disk is full, because temporary data must
 * leave room for stored data
 */
export async function namelessFile(
  folder: string,
  fill: (write: (bytes: string | Uint8Array) => Promise<void>) => Promise<void>,
  look: (folder: string) => Promise<StatsFs> = statfs,
): Promise<NamelessFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    await fill(boundedWriter(file, async () => expectRoom(await look(folder))));
    const { size } = await file.stat();
    return { content: file.createReadStream({ start: 0, autoClose: true }), bytes: size };
  } catch (error) {
    await file.close();
    throw isStorageFull(error) ? storageFull() : error;
  }
}

function boundedWriter(file: FileHandle, expectMore: () => Promise<void>) {
  let unseen = LOOK_EVERY;
  return async (bytes: string | Uint8Array): Promise<void> => {
    unseen += bytes.length;
    if (unseen >= LOOK_EVERY) {
      await expectMore();
      unseen = 0;
    }
    await file.appendFile(bytes);
  };
}

/**
 * Checks the free space.
 * @throws DomainError `storage_full`
 */
function expectRoom({ bavail, blocks, bsize }: StatsFs): void {
  if (bavail * bsize < Math.min(LEFT_FREE, blocks * bsize * SHARE_LEFT_FREE)) throw storageFull();
}
