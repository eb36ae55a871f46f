import type { Jobs } from '@assay/jobs';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ClaimedDelivery, WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { MOST_TRIES } from './webhook-retry.js';
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
