import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';

/** Returns request options for a body that is a file, read from disk while it is sent. */
export async function fileBody(file: string) {
  await access(file, constants.R_OK);
  return {
    // the generated types only allow strings
    body: (await openAsBlob(file)) as unknown as string,
    bodySerializer: (body: string) => body as unknown as Blob,
  };
}
