import type { QueueOptions } from 'bullmq';

const LONGEST_RECONNECT_WAIT = 2000;

/** Whether whoever holds a connection still wants it: ioredis looks for a lost Redis until it is told to stop. */
export class Ending {
  private ended = false;

  end(): void {
    this.ended = true;
  }

  /** `options` whose connection, if it is to Redis, is looked for again until the end. */
  bind<O extends Pick<QueueOptions, 'connection'>>(options: O): O {
    if (!('url' in options.connection)) return options;
    const retryStrategy = (attempt: number): number | null =>
      this.ended ? null : Math.min(attempt * 100, LONGEST_RECONNECT_WAIT);
    return { ...options, connection: { ...options.connection, retryStrategy } };
  }
}
