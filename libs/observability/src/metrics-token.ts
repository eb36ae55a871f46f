import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Returns whether a request with this `Authorization` header may read the metrics. Without a
 * configured `token`, every request may. The comparison takes constant time.
 */
export function mayReadMetrics(token: string | undefined, authorization: string | undefined): boolean {
  return token === undefined || timingSafeEqual(digest(`Bearer ${token}`), digest(authorization ?? ''));
}
