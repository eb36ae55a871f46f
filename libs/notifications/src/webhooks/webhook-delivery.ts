import type { DeliveredKind, WebhookAttempt, WebhookDeliveryState } from '@assay/contracts/webhooks';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Webhook } from './webhook.js';

/** The legal transitions of a delivery. A person may have one sent again that was sent or failed. */
export const WEBHOOK_DELIVERY_TRANSITIONS = {
  waiting: ['waiting', 'delivered', 'failed'],
  delivered: ['waiting'],
  failed: ['waiting'],
} as const satisfies TransitionTable<WebhookDeliveryState>;

export const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  uniques: [{ properties: ['webhook', 'key'] }],
  indexes: [
    {
      name: 'webhook_delivery_waiting',
      expression: `create index "webhook_delivery_waiting" on "webhook_delivery" ("due_at") where "state" = 'waiting'`,
    },
  ],
  properties: {
    /** Sent as the `webhook-id` header, by which receivers recognise duplicates. */
    id: p.uuid().primary().onCreate(newId),
    webhook: () => p.manyToOne(Webhook).deleteRule('cascade'),
    kind: p.string().length(30).$type<DeliveredKind>(),
    /** Identifies the occurrence: a webhook gets at most one delivery with this key. */
    key: p.string().length(200),
    /** The exact text that is signed and sent at each attempt. */
    body: p.string().columnType('text'),
    state: p.string().length(10).$type<WebhookDeliveryState>().default('waiting'),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** Not to be sent before this time. Time of the database. */
    dueAt: p.datetime().defaultRaw('now()'),
    /** Fencing counter, increased with every claim: writes under an older claim change nothing. */
    attempts: p.integer().default(0),
    /** Claims since the delivery was created or last requested by a person. */
    tries: p.integer().default(0),
    /** While this is in the future, a process is sending it. Time of the database. */
    leaseUntil: p.datetime().nullable(),
    /** When a person last requested it, as a ping or a redelivery. */
    askedAt: p.datetime().nullable(),
    /** The newest attempt first. */
    log: p.json<readonly WebhookAttempt[]>().default([]),
  },
});

/**
 * One event for one webhook. This row is authoritative; queue jobs only say that it should be
 * looked up.
 */
export class WebhookDelivery extends WebhookDeliverySchema.class {
  /** Has the delivery, which was sent or failed, sent again. */
  redeliver(now: Date): void {
    assertTransition(WEBHOOK_DELIVERY_TRANSITIONS, this.state, 'waiting');
    Object.assign(this, { state: 'waiting', tries: 0, dueAt: now, askedAt: now, leaseUntil: null });
  }
}
WebhookDeliverySchema.setClass(WebhookDelivery);

/** Returns the body of a delivery, in the format that Standard Webhooks recommends. */
export const bodyOf = (type: DeliveredKind, happened: Date, data: object): string =>
  JSON.stringify({ type, timestamp: happened.toISOString(), data });
