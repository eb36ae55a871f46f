import type { Rng } from '@assay/kernel';

/** The number of attempts at which a delivery fails for good. */
export const MOST_TRIES = 10;
/** The number of days without a successful delivery after which a webhook is disabled. */
export const DAYS_UNTIL_DISABLED = 3;

const FIRST_SECONDS = 10;
const FACTOR = 4;
const LONGEST_SECONDS = 12 * 3600;
/** The maximum delay that a receiver can ask for with `Retry-After`. */
const LONGEST_ASKED_SECONDS = 24 * 3600;

/**
 * Returns the seconds until the next attempt after `tries` failed ones. Exponential backoff from 10
 * seconds, times 4 per attempt, up to 12 hours, with a random factor between 0.5 and 1, so that
 * deliveries that failed together do not come back together. At least as long as the receiver asked
 * for.
 */
export function secondsUntilRetry(tries: number, retryAfter: number | null, rng: Pick<Rng, 'next'>): number {
  const longest = Math.min(FIRST_SECONDS * FACTOR ** (tries - 1), LONGEST_SECONDS);
  const wait = longest * (0.5 + rng.next() / 2);
  return Math.max(wait, Math.min(retryAfter ?? 0, LONGEST_ASKED_SECONDS));
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) as seconds from `now`; null if it is missing or invalid.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(until) ? null : Math.max(0, (until - now.getTime()) / 1000);
}
