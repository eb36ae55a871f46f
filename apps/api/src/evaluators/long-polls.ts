import { ChannelSignal, type Notifications } from '@assay/persistence/outbox';

/** Milliseconds after which a waiting request looks again without a notification. */
const LOOK_MILLISECONDS = 2000;

export interface LongPoll<T> {
  readonly waitSeconds: number;
  /** Aborted when the client no longer waits. */
  readonly gone: AbortSignal;
  /** The payload of a notification to wait for; default: any. */
  readonly wanted?: string;
  /**
   * Returns null if there is nothing.
   * @param signal aborted when nobody waits any more
   */
  readonly look: (signal: AbortSignal) => Promise<T | null>;
}

/** Requests that wait for something that a channel announces, until the process closes. */
export class LongPolls {
  private readonly announced: ChannelSignal;
  private readonly closing = new AbortController();

  constructor(channel: string) {
    this.announced = new ChannelSignal(channel);
  }

  listen(notifications: Notifications): Promise<void> {
    return this.announced.listen(notifications);
  }

  /** Ends all waits. */
  close(): void {
    this.closing.abort();
    this.announced.wake();
  }

  /** Looks for something until it is there, the time is over, or nobody waits any more. */
  async until<T>({ waitSeconds, gone, wanted, look }: LongPoll<T>): Promise<T | null> {
    const signal = AbortSignal.any([gone, this.closing.signal]);
    const until = performance.now() + waitSeconds * 1000;
    for (;;) {
      const left = until - performance.now();
      // subscribed before the look, so that no notification is missed between them
      const next = this.announced.next(Math.min(Math.max(0, left), LOOK_MILLISECONDS), wanted);
      const found = await look(signal);
      if (found !== null || left <= 0 || signal.aborted) return found;
      await next;
    }
  }
}
