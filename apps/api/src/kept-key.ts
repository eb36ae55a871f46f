import { randomBytes } from 'node:crypto';
import { keptSecret } from '@assay/storage';

/** Returns the key of 32 bytes that a file holds in hexadecimal. Creates the file if it is missing. */
export const keptKey = async (path: string): Promise<Buffer> =>
  Buffer.from(await keptSecret(path, () => randomBytes(32).toString('hex')), 'hex');
