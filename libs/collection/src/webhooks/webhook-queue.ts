import type { WebhookAttempt } from '@assay/contracts';
import type { Jobs } from '@assay/jobs';
import type { EntityManager } from '@mikro-orm/postgresql';
import { MOST_TRIES } from './webhook-retry.js';

/** Longer than an attempt can take. */
const LEASE_SECONDS = 60;
const KEEP_DAYS = 30;
const LONGEST_LOG = 20;
/** Rung for at once; the rest at the next time. */
const AT_ONCE = 500;

/** A delivery that is this process's to send, until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly userId: string;
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
  /** Sealed: the one before, as long as it counts. */
  readonly formerSecret: string | null;
  readonly body: string;
  /** Number of the claim: who holds an older one changes nothing any more. */
  readonly attempts: number;
  /** Claims since it was last asked for, this one among them. */
  readonly tries: number;
}

const WAITS = `d.state = 'waiting' and d.due_at <= now() and (d.lease_until is null or d.lease_until < now())
  and w.disabled_at is null and u.blocked_at is null and u.deleted_at is null`;
const JOINED = 'webhook_delivery d join webhook w on w.id = d.webhook_id join user_account u on u.id = w.user_id';

/**
 * Takes a delivery to be sent now. Of one person's one is sent at a time, so that who answers slowly holds up nobody else; what they have
 * to wait for is rung for when it has ended.
 * @param keyId of the key that this process has: what is sealed with another is left to others
 * @returns null where it is not due, or somebody's, or not to be sent any more
 */
export async function claimDelivery(em: EntityManager, id: string, keyId: string): Promise<ClaimedDelivery | null> {
  return em.fork().transactional(async (tx) => {
    // whoever claims another one of the same person's waits here until this claim is seen
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

/** What comes of an attempt. */
export type DeliveryEnd =
  | { readonly state: 'delivered' }
  | { readonly state: 'waiting'; readonly seconds: number }
  | { readonly state: 'failed' };

/** Notes how an attempt ended. @returns whether the claim still held */
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

/** What waits for a webhook that is disabled is not sent later: it may be asked for again. */
export async function giveUpWaiting(em: EntityManager, webhookId: string): Promise<void> {
  await em.execute(
    `update webhook_delivery set state = 'failed', lease_until = null where webhook_id = ? and state = 'waiting'`,
    [webhookId],
  );
}

/** Rings for what is due: of each person what waits longest. */
export async function ringForWebhooks(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  for (const { id, attempts } of await dueDeliveries(em, null)) await ringForDelivery(jobs, id, `${attempts}`);
}

/** Rings for what the same person has waiting behind `ended`. */
export async function ringForNext(
  em: EntityManager,
  jobs: Pick<Jobs, 'enqueue'>,
  ended: Pick<ClaimedDelivery, 'id' | 'userId' | 'attempts'>,
): Promise<void> {
  // a name of its own: the job of a delivery that found another one under way may not have ended yet
  for (const { id } of await dueDeliveries(em, ended.userId)) {
    await ringForDelivery(jobs, id, `after-${ended.id}-${ended.attempts}`);
  }
}

function dueDeliveries(em: EntityManager, userId: string | null): Promise<{ id: string; attempts: number }[]> {
  return em.execute<{ id: string; attempts: number }[]>(
    `select distinct on (w.user_id) d.id, d.attempts from ${JOINED}
     where ${WAITS} and (?::uuid is null or w.user_id = ?::uuid) order by w.user_id, d.due_at, d.id limit ?`,
    [userId, userId, AT_ONCE],
  );
}

const ringForDelivery = (jobs: Pick<Jobs, 'enqueue'>, id: string, why: string): Promise<void> =>
  jobs.enqueue('webhook', { deliveryId: id }, { jobId: `webhook-${id}-${why}` });

/** Rings for one delivery, once for each event that says so. */
export const ringForEvent = (jobs: Pick<Jobs, 'enqueue'>, id: string, event: string): Promise<void> =>
  ringForDelivery(jobs, id, `event-${event}`);

/**
 * Gives up what was claimed as often as may be though no end of it was ever noted, and removes what was sent or given up long ago, and secrets that
 * count no more.
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
