import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';

/** Returns the body of a request that sends a file, which is read from disk while it is sent. */
export async function fileBody(file: string): Promise<Blob> {
  await access(file, constants.R_OK);
  return openAsBlob(file);
}
