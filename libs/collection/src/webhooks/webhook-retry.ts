import type { Rng } from '@assay/kernel';

/** How often an event is sent until it is given up. */
export const MOST_TRIES = 10;
/** A webhook that nothing has reached for so long is disabled. */
export const DAYS_UNTIL_DISABLED = 3;

const FIRST_SECONDS = 10;
const FACTOR = 4;
const LONGEST_SECONDS = 12 * 3600;
/** A receiver may ask for no longer. */
const LONGEST_ASKED_SECONDS = 24 * 3600;

/**
 * Seconds until it is sent again after `tries` of it failed: 10 s, 40 s, 160 s … 12 h, of each a half to all by chance, so that what failed
 * together does not come back together. No sooner than the receiver asked for.
 */
export function secondsUntilRetry(tries: number, retryAfter: number | null, rng: Pick<Rng, 'next'>): number {
  const longest = Math.min(FIRST_SECONDS * FACTOR ** (tries - 1), LONGEST_SECONDS);
  const wait = longest * (0.5 + rng.next() / 2);
  return Math.max(wait, Math.min(retryAfter ?? 0, LONGEST_ASKED_SECONDS));
}

/** What `Retry-After` says (RFC 9110, 10.2.3) in seconds from `now`; null: nothing that can be read. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(until) ? null : Math.max(0, (until - now.getTime()) / 1000);
}
