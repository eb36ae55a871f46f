import type { Origin } from '@assay/contracts';
import type { EventMap, EventName } from '@assay/contracts/webhooks';
import { currentOrigin } from '@assay/observability';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The channel that is notified when events are committed. */
export const OUTBOX_CHANNEL = 'assay_outbox';

export const OutboxEventSchema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    type: p.string().columnType('text'),
    payload: p.json<Readonly<Record<string, unknown>>>(),
    /** The origin of the request that caused the event, for logs and traces. */
    origin: p.json<Origin>().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    deliveredAt: p.datetime().nullable(),
    attempts: p.integer().default(0),
    /** The earliest time of the next delivery. A failed delivery postpones it. */
    dueAt: p.datetime().defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'outbox_event_undelivered',
      expression: 'create index "outbox_event_undelivered" on "outbox_event" ("id") where "delivered_at" is null',
    },
  ],
  triggers: [
    {
      name: 'outbox_event_rings',
      timing: 'after',
      events: ['insert'],
      forEach: 'statement',
      body: `perform pg_notify('${OUTBOX_CHANNEL}', ''); return null;`,
    },
  ],
});

/** An event that is delivered once the transaction that wrote it has committed. */
export class OutboxEvent extends OutboxEventSchema.class {}
OutboxEventSchema.setClass(OutboxEvent);

/** A stored event; see `parseEvent`. `id` increases in the order of writing. */
export interface OutboxRecord {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly origin?: Origin | null;
}

export const Outbox = {
  /**
   * Adds an event to the changes that `em` flushes. It is delivered if and only if that transaction
   * commits.
   */
  add<E extends EventName>(em: EntityManager, type: E, payload: EventMap[E]): OutboxEvent {
    return em.create(OutboxEvent, { type, payload: { ...payload }, origin: currentOrigin() }, { persist: true });
  },
} as const;
