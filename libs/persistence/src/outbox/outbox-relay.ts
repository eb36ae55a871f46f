import { continued, traced } from '@assay/observability';
import type { EntityManager } from '@mikro-orm/postgresql';
import { inTurn } from '../locks/advisory-lock.js';
import type { Notifications } from './notifications.js';
import { OUTBOX_CHANNEL, type OutboxRecord, OutboxRepository } from './outbox.js';

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
  prune(): Promise<number> {
    return new OutboxRepository(this.em.fork()).deleteDelivered(this.options.keepDays);
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
      const outbox = new OutboxRepository(em);
      const events = await outbox.lockDue(this.options.batch);
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
      if (delivered.length > 0) await outbox.markDelivered(delivered);
      if (failed.length > 0) await outbox.postpone(failed);
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
