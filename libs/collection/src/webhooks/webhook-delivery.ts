import type { DeliveredKind, WebhookAttempt, WebhookDeliveryState } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Webhook } from './webhook.js';

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  uniques: [{ properties: ['webhook', 'key'] }],
  indexes: [
    {
      name: 'webhook_delivery_waiting',
      expression: `create index "webhook_delivery_waiting" on "webhook_delivery" ("due_at") where "state" = 'waiting'`,
    },
  ],
  properties: {
    /** Sent along as webhook-id: receivers know by it what they have seen. */
    id: p.uuid().primary().onCreate(newId),
    webhook: () => p.manyToOne(Webhook).deleteRule('cascade'),
    kind: p.string().length(30).$type<DeliveredKind>(),
    /** Of what happened: a webhook is told of the same once. */
    key: p.string().length(200),
    /** To the letter what is sent, and signed, at each attempt. */
    body: p.string().columnType('text'),
    state: p.string().length(10).$type<WebhookDeliveryState>().default('waiting'),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** Not to be sent before. Time of the database. */
    dueAt: p.datetime().defaultRaw('now()'),
    /** Counts the claims: whoever holds an older one changes nothing any more. */
    attempts: p.integer().default(0),
    /** Claims since it was last asked for. */
    tries: p.integer().default(0),
    /** Somebody is sending it. Time of the database. */
    leaseUntil: p.datetime().nullable(),
    /** When a person last asked for it: a ping, or to send it again. */
    askedAt: p.datetime().nullable(),
    /** The newest first. */
    log: p.json<readonly WebhookAttempt[]>().default([]),
  },
});

/** Something that one webhook is told. Its truth is this row; the queue only rings. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);
