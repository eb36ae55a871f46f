import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onCodes } from './storage-errors.js';

/**
 * Returns the secret in the file at `path` (mode 600). If there is none yet, stores what `make`
 * returns. If several processes do so at the same time, the first one wins and all return its
 * secret.
 */
export async function storedSecret(path: string, make: () => string): Promise<string> {
  const present = await readFile(path, 'utf8').catch(onCodes(['ENOENT'], null));
  if (present !== null) return present;

  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, make(), { mode: 0o600, flag: 'wx' });
  await link(written, path).catch(onCodes(['EEXIST'], undefined));
  await rm(written);
  return readFile(path, 'utf8');
}

/** Returns the key of 32 bytes that a file holds in hexadecimal. Creates the file if it is missing. */
export const storedKey = async (path: string): Promise<Buffer> =>
  Buffer.from((await storedSecret(path, () => randomBytes(32).toString('hex'))).trim(), 'hex');
