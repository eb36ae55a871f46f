import { pause } from './retries.js';
import { LeaseLost } from './service-error.js';

const LONGEST_INTERVAL_SECONDS = 5;
const LONGEST_ATTEMPT_SECONDS = 30;

/**
 * Sends a request that extends the lease.
 * @param silentSeconds seconds without a byte of the response after which the attempt ends
 */
type Extend = (silentSeconds: number, signal: AbortSignal) => Promise<unknown>;

/** Renews a lease until it is closed or lost. */
export class LeaseRenewal {
  private readonly lost = new AbortController();
  private readonly closed = new AbortController();
  private due = new AbortController();
  /** The monotonic time, in milliseconds, at which the lease must have expired. */
  private expiresAt: number;

  /** @param seconds the time for which the lease is valid without a renewal */
  constructor(
    private readonly seconds: number,
    private readonly extend: Extend,
  ) {
    this.expiresAt = performance.now() + seconds * 1000;
    void this.renew();
  }

  /** Aborted with `LeaseLost` when the lease is lost, or has expired without an answer of the service. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Renews the lease now, or as soon as a renewal under way has ended. */
  now(): void {
    this.due.abort();
  }

  /** Stops the renewals. */
  close(): void {
    this.closed.abort();
  }

  private async renew(): Promise<void> {
    const { signal } = this.closed;
    const interval = Math.min(LONGEST_INTERVAL_SECONDS, this.seconds / 4) * 1000;
    for (;;) {
      const next = AbortSignal.any([signal, this.due.signal]);
      await pause(Math.min(interval, this.remaining), next).catch(() => undefined);
      if (signal.aborted) return;
      this.due = new AbortController();
      const isLost = await this.isLost();
      if (signal.aborted) return;
      if (isLost) {
        this.lost.abort(new LeaseLost());
        return;
      }
    }
  }

  private async isLost(): Promise<boolean> {
    const silentSeconds = Math.min(LONGEST_ATTEMPT_SECONDS, this.remaining / 1000);
    // the lease is extended after this, so that it never expires earlier than this host assumes
    const sentAt = performance.now();
    try {
      await this.extend(silentSeconds, this.closed.signal);
      this.expiresAt = sentAt + this.seconds * 1000;
      return false;
    } catch (error) {
      return error instanceof LeaseLost || this.remaining === 0;
    }
  }

  /** Milliseconds until the lease must have expired. */
  private get remaining(): number {
    return Math.max(0, this.expiresAt - performance.now());
  }
}
