import { continued, traced } from '@assay/observability';
import type { EntityManager } from '@mikro-orm/postgresql';
import { inTurn } from './in-turn.js';
import type { Notifications } from './notifications.js';
import { OUTBOX_CHANNEL, type OutboxRecord } from './outbox.js';

export interface OutboxRelayOptions {
  /** Events taken at once (64). */
  readonly batch?: number;
  /** Milliseconds after which no more events of a batch are told (15,000): it is one transaction, and the server ends those that idle. */
  readonly batchMilliseconds?: number;
  /** Milliseconds between looks without a ring (2000). */
  readonly pollMilliseconds?: number;
  /** Days for which delivered events are kept (7). */
  readonly keepDays?: number;
  /** Told of what went wrong; the relay itself goes on. */
  readonly onError?: (error: unknown, event?: OutboxRecord) => void;
}

const LONGEST_WAIT_SECONDS = 60;
/** What is due later than any wait was written before the clock of the database was set back. */
const NEVER_THAT_LATE = `interval '${2 * LONGEST_WAIT_SECONDS} seconds'`;
const PRUNE_MILLISECONDS = 10 * 60_000;

/**
 * Tells `handler` of every committed event of the outbox, at least once, oldest first. Many relays may run: an event that
 * one of them holds is passed over by the others. An event whose handler throws is told again later (after 1, 2, 4 … 60 s)
 * and does not hold up the others, so handlers must bear repetition and any order.
 */
export class OutboxRelay {
  private readonly options: Required<OutboxRelayOptions>;
  private loop: Promise<void> | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;
  private stopped = false;
  private rung = false;
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

  /** Starts to relay. Never throws for a database that is away: it is looked for again. */
  async start(): Promise<void> {
    if (this.loop) return;
    this.stopped = false;
    this.unsubscribe = await this.notifications.subscribe(
      OUTBOX_CHANNEL,
      () => this.ring(),
      () => this.ring(),
    );
    this.loop = this.run();
  }

  /** Ends after the batch that is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.ring();
    await this.unsubscribe?.();
    await this.loop;
    this.unsubscribe = null;
    this.loop = null;
  }

  /** Tells everything that is due now. @returns how many events were delivered. */
  async drain(): Promise<number> {
    let total = 0;
    for (;;) {
      // handlers work in transactions of their own while the batch is held
      const { delivered, isLast } = await inTurn(this.em, () => this.deliverBatch());
      total += delivered;
      if (isLast || this.stopped) return total;
    }
  }

  /** Removes delivered events that are older than `keepDays`. @returns how many. */
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
      this.rung = false;
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
        // with a queue that does not answer each takes seconds: the rest is nobody's again, and the first of the next batch
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

  private ring(): void {
    this.rung = true;
    this.wake?.();
  }

  private async sleep(): Promise<void> {
    if (this.rung || this.stopped) return;
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

/** An array as PostgreSQL spells it; ids are digits, so nothing needs quoting. */
function ids(values: readonly string[]): string {
  return `{${values.join(',')}}`;
}
