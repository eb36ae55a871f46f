import { createHash } from 'node:crypto';

/** Ten characters that stand for a path where there is no room for it. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 10);
}
