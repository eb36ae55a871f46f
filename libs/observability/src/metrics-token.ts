import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether who sent the header `Authorization` may read the metrics: everybody where no token is asked for. */
export function mayReadMetrics(token: string | undefined, authorization: string | undefined): boolean {
  return token === undefined || timingSafeEqual(digest(`Bearer ${token}`), digest(authorization ?? ''));
}
