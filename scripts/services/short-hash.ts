import { createHash } from 'node:crypto';

/** Returns ten characters that identify a path where the path itself is too long. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 10);
}
