import type { Jobs } from '@assay/jobs';
import type { Rng } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ClaimedDelivery, WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { WebhookRepository } from './webhook.js';

const KEEP_DAYS = 30;
/**
 * The maximum number of deliveries that are enqueued together. The rest is enqueued the next time.
 */
const AT_ONCE = 500;

/** Enqueues due deliveries: for each user the one that has waited longest. */
export async function enqueueWebhooks(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  for (const { id, attempts } of await new WebhookDeliveryRepository(em).due(null, AT_ONCE))
    await enqueueDelivery(jobs, id, `${attempts}`);
}

/** Enqueues the next due delivery of the same user after `ended`. */
export async function enqueueNext(
  em: EntityManager,
  jobs: Pick<Jobs, 'enqueue'>,
  ended: Pick<ClaimedDelivery, 'id' | 'userId' | 'attempts'>,
): Promise<void> {
  // a unique job ID: the job that found another delivery of the user under way may not have ended
  // yet
  for (const { id } of await new WebhookDeliveryRepository(em).due(ended.userId, AT_ONCE)) {
    await enqueueDelivery(jobs, id, `after-${ended.id}-${ended.attempts}`);
  }
}

const enqueueDelivery = (jobs: Pick<Jobs, 'enqueue'>, id: string, why: string): Promise<void> =>
  jobs.enqueue('webhook', { deliveryId: id }, { jobId: `webhook-${id}-${why}` });

/** Enqueues a delivery, once per event. */
export const enqueueEvent = (jobs: Pick<Jobs, 'enqueue'>, id: string, event: string): Promise<void> =>
  enqueueDelivery(jobs, id, `event-${event}`);

/**
 * Fails deliveries that used up their attempts without a stored result. Deletes old deliveries that
 * were sent or failed, and secrets that have expired.
 */
export async function sweepDeliveries(em: EntityManager): Promise<void> {
  const deliveries = new WebhookDeliveryRepository(em);
  await deliveries.failExhausted(MOST_TRIES);
  await deliveries.deleteOld(KEEP_DAYS);
  await new WebhookRepository(em).forgetFormerSecrets();
}

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
