import type { WebhookAttempt, WebhookDeliveryState } from '@assay/contracts/webhooks';
import { statesBefore } from '@assay/kernel';
import { databaseTime, databaseTimeIn, Repository } from '@assay/persistence/queries';
import { sql } from 'kysely';
import { WEBHOOK_DELIVERY_TRANSITIONS, type WebhookDeliverySchema } from './webhook-delivery.js';

/** Seconds that a claim is valid. Longer than an attempt can take. */
const LEASE_SECONDS = 60;
const LONGEST_LOG = 20;

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

/** The result of an attempt. */
export type DeliveryEnd =
  | { readonly state: 'delivered' }
  | { readonly state: 'waiting'; readonly seconds: number }
  | { readonly state: 'failed' };

const WAITS = `d.state = 'waiting' and d.due_at <= now() and (d.lease_until is null or d.lease_until < now())
  and w.disabled_at is null and u.blocked_at is null and u.deleted_at is null`;
const JOINED = 'webhook_delivery d join webhook w on w.id = d.webhook_id join user_account u on u.id = w.user_id';

/**
 * The deliveries of the database. State changes are conditional updates. All times are those of the
 * database.
 */
export class WebhookDeliveryRepository extends Repository<typeof WebhookDeliverySchema> {
  /**
   * Claims a delivery to be sent now. Sends one delivery per user at a time, so that a slow
   * receiver delays only its own user.
   * @param keyId the ID of this process's key; webhooks whose secret is encrypted with another key
   *   are left to other processes
   * @returns null if the delivery is not due, is claimed by another process, or must not be sent
   *   any more
   */
  async claim(id: string, keyId: string): Promise<ClaimedDelivery | null> {
    return this.em.fork().transactional(async (tx) => {
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
           lease_until = clock_timestamp() + make_interval(secs => ?)
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

  /**
   * Stores how an attempt ended.
   * @returns whether the claim still held
   */
  async end(
    { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
    attempt: WebhookAttempt,
    end: DeliveryEnd,
  ): Promise<boolean> {
    const log = sql<readonly WebhookAttempt[]>`(select jsonb_agg(entry order by place) from
      (select * from jsonb_array_elements(jsonb_build_array(${JSON.stringify(attempt)}::jsonb) || log)
        with ordinality as all_of(entry, place) order by place limit ${LONGEST_LOG}) newest)`;
    return this.changes(
      this.transition(end.state)
        .set({ log, leaseUntil: null, dueAt: databaseTimeIn(end.state === 'waiting' ? end.seconds : 0) })
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .where('leaseUntil', 'is not', null),
    );
  }

  /**
   * Fails the waiting deliveries of a disabled webhook. They are not sent later, but can be
   * redelivered.
   */
  async failWaiting(webhook: string): Promise<void> {
    await this.transition('failed').set({ leaseUntil: null }).where('webhook', '=', webhook).execute();
  }

  /** Fails the deliveries that used up their attempts without a stored result. */
  async failExhausted(mostTries: number): Promise<void> {
    await this.transition('failed')
      .set({ leaseUntil: null })
      .where('tries', '>=', mostTries)
      .where('leaseUntil', '<', databaseTime())
      .execute();
  }

  /** Deletes the deliveries older than `days` that were sent or failed. */
  async deleteOld(days: number): Promise<void> {
    await this.db
      .deleteFrom('webhook_delivery')
      .where('state', '<>', 'waiting')
      .where('createdAt', '<', databaseTimeIn(-days * 86_400))
      .execute();
  }

  /**
   * Returns due deliveries: for each user the one that has waited longest.
   * @param userId null: of all users
   */
  due(userId: string | null, limit: number): Promise<readonly Pick<ClaimedDelivery, 'id' | 'attempts'>[]> {
    return this.em.execute<Pick<ClaimedDelivery, 'id' | 'attempts'>[]>(
      `select distinct on (w.user_id) d.id, d.attempts from ${JOINED}
       where ${WAITS} and (?::uuid is null or w.user_id = ?::uuid) order by w.user_id, d.due_at, d.id limit ?`,
      [userId, userId, limit],
    );
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: WebhookDeliveryState) {
    return this.db
      .updateTable('webhook_delivery')
      .set('state', state)
      .where('state', 'in', statesBefore<WebhookDeliveryState>(WEBHOOK_DELIVERY_TRANSITIONS, state));
  }
}
