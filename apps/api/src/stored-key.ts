import { randomBytes } from 'node:crypto';
import { storedSecret } from '@assay/storage';

/** Returns the key of 32 bytes that a file holds in hexadecimal. Creates the file if it is missing. */
export const storedKey = async (path: string): Promise<Buffer> =>
  Buffer.from(await storedSecret(path, () => randomBytes(32).toString('hex')), 'hex');
