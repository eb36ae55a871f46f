import type { LeasedRunView } from '@assay/contracts/gateway';
import { z } from 'zod';
import { pause } from './retries.js';
import type { ServiceClient } from './service-client.js';
import { LeaseLost } from './service-error.js';

const LONGEST_INTERVAL_SECONDS = 5;
const LONGEST_ATTEMPT_SECONDS = 30;

/** Renews the lease of a run until it is closed or lost. */
export class RunRenewal {
  private readonly lost = new AbortController();
  private readonly closed = new AbortController();
  /** The monotonic time, in milliseconds, at which the lease must have expired. */
  private expiresAt: number;

  constructor(
    private readonly client: ServiceClient,
    private readonly view: LeasedRunView,
  ) {
    this.expiresAt = performance.now() + view.leaseSeconds * 1000;
    void this.renew();
  }

  /** Aborted with `LeaseLost` when the lease is lost, or has expired without an answer of the service. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Stops the renewals. */
  close(): void {
    this.closed.abort();
  }

  private async renew(): Promise<void> {
    const { signal } = this.closed;
    const interval = Math.min(LONGEST_INTERVAL_SECONDS, this.view.leaseSeconds / 4) * 1000;
    for (;;) {
      await pause(Math.min(interval, this.remaining), signal).catch(() => undefined);
      if (signal.aborted) return;
      const isLost = await this.isLost();
      if (signal.aborted) return;
      if (isLost) {
        this.lost.abort(new LeaseLost());
        return;
      }
    }
  }

  private async isLost(): Promise<boolean> {
    const { run, fence } = this.view.assignment;
    const path = `/runs/${encodeURIComponent(run)}/renewal?fence=${fence}`;
    const silentSeconds = Math.min(LONGEST_ATTEMPT_SECONDS, this.remaining / 1000);
    // the lease is extended after this, so that it never expires earlier than this host assumes
    const sentAt = performance.now();
    try {
      await this.client.requestOnce({ method: 'POST', path, silentSeconds }, z.unknown(), this.closed.signal);
      this.expiresAt = sentAt + this.view.leaseSeconds * 1000;
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
