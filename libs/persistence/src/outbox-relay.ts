import { continued, traced } from '@assay/observability';
import type { EntityManager } from '@mikro-orm/postgresql';
import { inTurn } from './in-turn.js';
import type { Notifications } from './notifications.js';
import { OUTBOX_CHANNEL, type OutboxRecord } from './outbox.js';

export interface OutboxRelayOptions {
  /** The most events per batch. Default: 64. */
  readonly batch?: number;
  /**
   * Milliseconds after which the relay delivers no more events of a batch. Default: 15,000. A batch
   * is one transaction, and the server ends transactions that idle.
   */
  readonly batchMilliseconds?: number;
  /** Milliseconds between polls without a notification. Default: 2000. */
  readonly pollMilliseconds?: number;
  /** Days for which delivered events are stored. Default: 7. */
  readonly keepDays?: number;
  /** Receives errors; the relay continues. */
  readonly onError?: (error: unknown, event?: OutboxRecord) => void;
}

const LONGEST_WAIT_SECONDS = 60;
/**
 * An event due later than any wait was written before the database's clock was set back, so it is
 * due now.
 */
const NEVER_THAT_LATE = `interval '${2 * LONGEST_WAIT_SECONDS} seconds'`;
const PRUNE_MILLISECONDS = 10 * 60_000;

/**
 * Delivers every committed event of the outbox to `handler`, at least once, oldest first. Several
 * relays may run: each skips the events that another one holds. If the handler throws, the event is
 * delivered again after 1, 2, 4 … 60 s and does not hold up the others. Handlers must therefore
 * tolerate repetition and any order.
 */
export class OutboxRelay {
  private readonly options: Required<OutboxRelayOptions>;
  private loop: Promise<void> | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;
  private stopped = false;
  private isNotified = false;
  private wake: (() => void) | null = null;
  private prunedAt = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly notifications: Notifications,
    private readonly handler: (event: OutboxRecord) => Promise<void>,
    options: OutboxRelayOptions = {},
  ) {
    this.options = {
      batch: 64,
      batchMilliseconds: 15_000,
      pollMilliseconds: 2000,
      keepDays: 7,
      onError: () => undefined,
      ...options,
    };
  }

  /** Starts the relay. Does not throw if the database is unreachable: it reconnects by itself. */
  async start(): Promise<void> {
    if (this.loop) return;
    this.stopped = false;
    this.unsubscribe = await this.notifications.subscribe(
      OUTBOX_CHANNEL,
      () => this.notify(),
      () => this.notify(),
    );
    this.loop = this.run();
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.notify();
    await this.unsubscribe?.();
    await this.loop;
    this.unsubscribe = null;
    this.loop = null;
  }

  /**
   * Delivers all events that are due now.
   * @returns the number of events delivered
   */
  async drain(): Promise<number> {
    let total = 0;
    for (;;) {
      // handlers use transactions of their own while this one holds the batch
      const { delivered, isLast } = await inTurn(this.em, () => this.deliverBatch());
      total += delivered;
      if (isLast || this.stopped) return total;
    }
  }

  /**
   * Removes delivered events that are older than `keepDays`.
   * @returns the number of events removed
   */
  async prune(): Promise<number> {
    const rows = await this.em
      .fork()
      .execute<{ id: string }[]>(
        'delete from outbox_event where delivered_at < now() - make_interval(days => ?) returning id',
        [this.options.keepDays],
      );
    return rows.length;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.isNotified = false;
      try {
        await this.drain();
        await this.pruneNowAndThen();
      } catch (error) {
        this.options.onError(error);
      }
      await this.sleep();
    }
  }

  private async deliverBatch(): Promise<{ delivered: number; isLast: boolean }> {
    return this.em.fork().transactional(async (em) => {
      const events = await em.execute<OutboxRecord[]>(
        `select id::text as id, type, payload, origin from outbox_event
          where delivered_at is null and (due_at <= now() or due_at > now() + ${NEVER_THAT_LATE}) order by id limit ? for update skip locked`,
        [this.options.batch],
      );
      const delivered: string[] = [];
      const failed: string[] = [];
      const late = performance.now() + this.options.batchMilliseconds;
      for (const event of events) {
        // while a queue does not respond, each event takes seconds: releases the rest, which the
        // next batch starts with
        if (performance.now() > late) break;
        const list = (await this.told(event)) ? delivered : failed;
        list.push(event.id);
      }
      if (delivered.length > 0) {
        await em.execute(`update outbox_event set delivered_at = now() where id = any(?::bigint[])`, [ids(delivered)]);
      }
      if (failed.length > 0) {
        await em.execute(
          `update outbox_event set attempts = attempts + 1,
             due_at = now() + make_interval(secs => least(power(2, least(attempts, 10)), ?)) where id = any(?::bigint[])`,
          [LONGEST_WAIT_SECONDS, ids(failed)],
        );
      }
      const isLast = events.length < this.options.batch && delivered.length + failed.length === events.length;
      return { delivered: delivered.length, isLast };
    });
  }

  private async told(event: OutboxRecord): Promise<boolean> {
    try {
      await continued(event.origin, () =>
        traced(`outbox ${event.type}`, { 'assay.event': event.id }, () => this.handler(event)),
      );
      return true;
    } catch (error) {
      this.options.onError(error, event);
      return false;
    }
  }

  private async pruneNowAndThen(): Promise<void> {
    if (Date.now() - this.prunedAt < PRUNE_MILLISECONDS) return;
    this.prunedAt = Date.now();
    await this.prune();
  }

  private notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  private async sleep(): Promise<void> {
    if (this.isNotified || this.stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.pollMilliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}

/** Encodes an array literal of PostgreSQL. IDs are digits, so nothing needs quoting. */
function ids(values: readonly string[]): string {
  return `{${values.join(',')}}`;
}
