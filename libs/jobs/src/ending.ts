import type { QueueOptions } from 'bullmq';

const LONGEST_RECONNECT_WAIT = 2000;

/**
 * Tells ioredis when to stop reconnecting. By default it tries to reach a lost Redis until it is
 * stopped.
 */
export class Ending {
  private ended = false;

  end(): void {
    this.ended = true;
  }

  /**
   * Returns `options` with a retry strategy that reconnects to Redis until `end` is called. Options
   * for PostgreSQL are returned unchanged.
   */
  bind<O extends Pick<QueueOptions, 'connection'>>(options: O): O {
    if (!('url' in options.connection)) return options;
    const retryStrategy = (attempt: number): number | null =>
      this.ended ? null : Math.min(attempt * 100, LONGEST_RECONNECT_WAIT);
    return { ...options, connection: { ...options.connection, retryStrategy } };
  }
}
