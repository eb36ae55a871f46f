import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from './service-error.js';

const FIRST_MILLISECONDS = 200;
const LONGEST_MILLISECONDS = 5_000;

/** Waits, unless `signal` aborts: then it throws the reason. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Delays that grow from 0.2 s to 5 s. */
export class GrowingDelays {
  private milliseconds = FIRST_MILLISECONDS;

  /**
   * Waits for the next delay.
   * @param atLeast milliseconds
   * @throws the reason of `signal`
   */
  async wait(signal: AbortSignal, atLeast = 0): Promise<void> {
    const milliseconds = Math.max(this.milliseconds, atLeast);
    this.milliseconds = Math.min(this.milliseconds * 2, LONGEST_MILLISECONDS);
    await pause(milliseconds, signal);
  }

  reset(): void {
    this.milliseconds = FIRST_MILLISECONDS;
  }
}

/** The repetitions of a request to the service. */
export class Retries {
  private readonly delays = new GrowingDelays();

  constructor(private readonly signal: AbortSignal) {}

  /**
   * Waits before the next attempt.
   * @throws the reason of the signal if it is aborted, or `error` if the next attempt would fail too
   */
  async after(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    if (!(error instanceof ServiceError) || !error.isTransient) throw error;
    await this.delays.wait(this.signal, error.retryAfterSeconds * 1000);
  }

  /** Starts again with the shortest delay, because an attempt made progress. */
  reset(): void {
    this.delays.reset();
  }
}
