import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** Whether the folder of the blobs is there and can be written: a mount that has gone leaves none. @throws Error */
export async function probeBlobs(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}
