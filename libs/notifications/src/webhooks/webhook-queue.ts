import type { WebhookAttempt } from '@assay/contracts';
import type { Jobs } from '@assay/jobs';
import type { EntityManager } from '@mikro-orm/postgresql';
import { MOST_TRIES } from './webhook-retry.js';

/** Seconds that a claim is valid. Longer than an attempt can take. */
const LEASE_SECONDS = 60;
const KEEP_DAYS = 30;
const LONGEST_LOG = 20;
/**
 * The maximum number of deliveries that are enqueued together. The rest is enqueued the next time.
 */
const AT_ONCE = 500;

/** A delivery that this process may send until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly userId: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret: string;
  /** The previous secret, encrypted, while it is still valid. */
  readonly formerSecret: string | null;
  readonly body: string;
  /** Fencing number of the claim: writes under an older claim change nothing. */
  readonly attempts: number;
  /** Claims since the delivery was created or last requested by a person, including this one. */
  readonly tries: number;
}

const WAITS = `d.state = 'waiting' and d.due_at <= now() and (d.lease_until is null or d.lease_until < now())
  and w.disabled_at is null and u.blocked_at is null and u.deleted_at is null`;
const JOINED = 'webhook_delivery d join webhook w on w.id = d.webhook_id join user_account u on u.id = w.user_id';

/**
 * Claims a delivery to be sent now. Sends one delivery per user at a time, so that a slow receiver
 * delays only its own user. `enqueueNext` enqueues the next one afterwards.
 * @param keyId the ID of this process's key; webhooks whose secret is encrypted with another key
 *   are left to other processes
 * @returns null if the delivery is not due, is claimed by another process, or must not be sent any
 *   more
 */
export async function claimDelivery(em: EntityManager, id: string, keyId: string): Promise<ClaimedDelivery | null> {
  return em.fork().transactional(async (tx) => {
    // concurrent claims for the same user wait here until this claim is visible
    const locked = await tx.execute<unknown[]>(
      `select id from webhook where user_id = (
         select w.user_id from webhook_delivery d join webhook w on w.id = d.webhook_id where d.id = ?)
       order by id for no key update`,
      [id],
    );
    if (locked.length === 0) return null;
    const [claimed] = await tx.execute<ClaimedDelivery[]>(
      `update webhook_delivery set attempts = webhook_delivery.attempts + 1, tries = webhook_delivery.tries + 1,
         lease_until = now() + make_interval(secs => ?)
       from (select d.id as delivery, w.id, w.user_id, w.url, w.secret,
           case when w.former_until > now() then w.former_secret end as former_secret
         from ${JOINED} where d.id = ? and w.key_id = ? and ${WAITS}
         and not exists (select 1 from webhook_delivery other join webhook its on its.id = other.webhook_id
           where its.user_id = w.user_id and other.lease_until > now())) w
       where webhook_delivery.id = w.delivery
       returning webhook_delivery.id, w.id as "webhookId", w.user_id as "userId", w.url, w.secret,
         w.former_secret as "formerSecret", webhook_delivery.body, webhook_delivery.attempts, webhook_delivery.tries`,
      [LEASE_SECONDS, id, keyId],
    );
    return claimed ?? null;
  });
}

/** The result of an attempt. */
export type DeliveryEnd =
  | { readonly state: 'delivered' }
  | { readonly state: 'waiting'; readonly seconds: number }
  | { readonly state: 'failed' };

/**
 * Stores how an attempt ended.
 * @returns whether the claim still held
 */
export async function endAttempt(
  em: EntityManager,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
  attempt: WebhookAttempt,
  end: DeliveryEnd,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `update webhook_delivery set state = ?, lease_until = null, due_at = now() + make_interval(secs => ?),
       log = (select jsonb_agg(entry order by place) from
         (select * from jsonb_array_elements(jsonb_build_array(?::jsonb) || log) with ordinality as all_of(entry, place)
           order by place limit ?) kept)
     where id = ? and attempts = ? and lease_until is not null returning id`,
    [end.state, end.state === 'waiting' ? end.seconds : 0, JSON.stringify(attempt), LONGEST_LOG, id, attempts],
  );
  return rows.length > 0;
}

/**
 * Fails the waiting deliveries of a disabled webhook. They are not sent later, but can be
 * redelivered.
 */
export async function giveUpWaiting(em: EntityManager, webhookId: string): Promise<void> {
  await em.execute(
    `update webhook_delivery set state = 'failed', lease_until = null where webhook_id = ? and state = 'waiting'`,
    [webhookId],
  );
}

/** Enqueues due deliveries: for each user the one that has waited longest. */
export async function enqueueWebhooks(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  for (const { id, attempts } of await dueDeliveries(em, null)) await enqueueDelivery(jobs, id, `${attempts}`);
}

/** Enqueues the next due delivery of the same user after `ended`. */
export async function enqueueNext(
  em: EntityManager,
  jobs: Pick<Jobs, 'enqueue'>,
  ended: Pick<ClaimedDelivery, 'id' | 'userId' | 'attempts'>,
): Promise<void> {
  // a unique job ID: the job that found another delivery of the user under way may not have ended
  // yet
  for (const { id } of await dueDeliveries(em, ended.userId)) {
    await enqueueDelivery(jobs, id, `after-${ended.id}-${ended.attempts}`);
  }
}

function dueDeliveries(em: EntityManager, userId: string | null): Promise<{ id: string; attempts: number }[]> {
  return em.execute<{ id: string; attempts: number }[]>(
    `select distinct on (w.user_id) d.id, d.attempts from ${JOINED}
     where ${WAITS} and (?::uuid is null or w.user_id = ?::uuid) order by w.user_id, d.due_at, d.id limit ?`,
    [userId, userId, AT_ONCE],
  );
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
  await em.execute(
    `update webhook_delivery set state = 'failed', lease_until = null
     where state = 'waiting' and tries >= ? and lease_until < now()`,
    [MOST_TRIES],
  );
  await em.execute(
    `delete from webhook_delivery where state <> 'waiting' and created_at < now() - make_interval(days => ?)`,
    [KEEP_DAYS],
  );
  await em.execute('update webhook set former_secret = null, former_until = null where former_until < now()');
}
