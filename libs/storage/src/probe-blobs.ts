import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { storageFull } from './storage-errors.js';

/** Results of a run need more, mostly. Bytes. */
const LEAST_ROOM = 16 * 2 ** 20;

/** Whether the folder of the blobs is there and can be written: a mount that has gone leaves none. @throws Error */
async function probeBlobs(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Whether results find room there. @throws Error; DomainError `storage_full` */
export async function probeRoom(folder: string): Promise<void> {
  await probeBlobs(folder);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_ROOM) throw storageFull();
}
