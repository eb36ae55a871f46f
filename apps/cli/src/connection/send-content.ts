import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';

/** The body of a request that is a file, read from the disk as it is sent. */
export async function fileBody(file: string) {
  await access(file, constants.R_OK);
  return {
    // the generated types know of strings only
    body: (await openAsBlob(file)) as unknown as string,
    bodySerializer: (body: string) => body as unknown as Blob,
  };
}
