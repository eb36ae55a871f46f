import type { Origin } from '@assay/contracts';
import type { EventMap, EventName } from '@assay/contracts/webhooks';
import { currentOrigin } from '@assay/observability';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { anyOf, type CountedRows, countRows, databaseTime, databaseTimeIn, Repository } from '../queries/repository.js';

/** The channel that is notified when events are committed. */
export const OUTBOX_CHANNEL = 'assay_outbox';

const OutboxEventSchema = defineEntity({
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

/** The undelivered events: their number, and the age of the oldest in seconds, null if there is none. */
interface WaitingEvents {
  readonly waiting: number;
  readonly oldestSeconds: number | null;
}

const LONGEST_WAIT_SECONDS = 60;

/** The events of the outbox. All times are those of the database. */
export class OutboxRepository extends Repository<typeof OutboxEventSchema> {
  /**
   * Locks events that are due and that no other transaction holds, and returns them, oldest first.
   * An event due later than any wait was written before the clock of the database was set back, so
   * it is due now.
   */
  lockDue(limit: number): Promise<OutboxRecord[]> {
    return this.db
      .selectFrom('outbox_event')
      .select(['id', 'type', 'payload', 'origin'])
      .where('deliveredAt', 'is', null)
      .where((event) =>
        event.or([event('dueAt', '<=', databaseTime()), event('dueAt', '>', databaseTimeIn(2 * LONGEST_WAIT_SECONDS))]),
      )
      .orderBy('id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
  }

  async markDelivered(ids: readonly string[]): Promise<void> {
    await this.db
      .updateTable('outbox_event')
      .set({ deliveredAt: databaseTime() })
      .where('id', '=', anyOf(ids, 'bigint'))
      .execute();
  }

  /** Postpones events whose delivery failed, by 1, 2, 4 … 60 s. */
  async postpone(ids: readonly string[]): Promise<void> {
    await this.db
      .updateTable('outbox_event')
      .set((event) => ({
        attempts: event('attempts', '+', 1),
        dueAt: sql<Date>`now() + make_interval(secs => least(power(2, least(attempts, 10)), ${LONGEST_WAIT_SECONDS}))`,
      }))
      .where('id', '=', anyOf(ids, 'bigint'))
      .execute();
  }

  /**
   * Deletes the events that were delivered more than `days` ago.
   * @returns their number
   */
  async deleteDelivered(days: number): Promise<number> {
    const { numDeletedRows } = await this.db
      .deleteFrom('outbox_event')
      .where('deliveredAt', '<', databaseTimeIn(-days * 86_400))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  waiting(): Promise<WaitingEvents> {
    return this.db
      .selectFrom('outbox_event')
      .select([
        sql<number>`count(*)::int`.as('waiting'),
        sql<number | null>`extract(epoch from now() - min(created_at))::float8`.as('oldestSeconds'),
      ])
      .where('deliveredAt', 'is', null)
      .executeTakeFirstOrThrow();
  }

  /** Counts the undelivered events by type. */
  countByType(): Promise<CountedRows[]> {
    return this.db
      .selectFrom('outbox_event')
      .select(['type', countRows])
      .where('deliveredAt', 'is', null)
      .groupBy('type')
      .execute();
  }
}
