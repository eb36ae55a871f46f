import { sql } from 'kysely';
import type { OutboxEventSchema, OutboxRecord } from './outbox.js';
import { Repository } from '../queries/repository.js';
import { anyOf, type CountedRows, countRows, databaseTime, databaseTimeIn } from '../queries/typed-queries.js';

/** The undelivered events: their number, and the age of the oldest in seconds, null if there is none. */
export interface WaitingEvents {
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
