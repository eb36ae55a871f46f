import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { storageFull } from './storage-errors.js';

/** The least free bytes; the results of a run usually need more. */
const LEAST_ROOM = 16 * 2 ** 20;

/**
 * Checks that the blob folder has room for results.
 * @throws Error if the folder is missing (a lost mount leaves none), or not readable and writable
 * @throws DomainError `storage_full`
 */
export async function probeRoom(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_ROOM) throw storageFull();
}
