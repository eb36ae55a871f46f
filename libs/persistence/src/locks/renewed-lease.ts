import type { EntityManager } from '@mikro-orm/postgresql';
import type { Notifications } from '../outbox/notifications.js';

export interface LeaseTimes {
  /** Seconds for which a claim or a renewal is valid (default: 60). */
  readonly leaseSeconds: number;
  /** Seconds between renewals (default: a quarter of the lease). */
  readonly renewSeconds: number;
}

/** A lease of a row, renewed until `close`. */
export abstract class RenewedLease {
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private renewing: Promise<void> | null = null;

  /** @param onClose called once the lease is closed */
  constructor(
    private readonly times: LeaseTimes,
    private readonly onClose: () => void,
  ) {
    this.timer = setInterval(() => void this.renew(), times.renewSeconds * 1000);
    this.timer.unref();
  }

  /** Aborts with the error of `lossOf` when the lease is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** Seconds for which the lease is valid without a renewal. */
  get seconds(): number {
    return this.times.leaseSeconds;
  }

  /**
   * Extends the lease, or finds that it is lost. If the database is unavailable, the next renewal
   * tries again until the lease must have expired.
   */
  renew(): Promise<void> {
    this.renewing ??= this.tryToRenew().finally(() => (this.renewing = null));
    return this.renewing;
  }

  /** Stops the renewals. Does not change the row. */
  close(): void {
    clearInterval(this.timer);
    this.onClose();
  }

  /** Extends the lease in the database. Returns false if it is lost. */
  protected abstract extend(): Promise<boolean>;

  /** Returns the error that says that this lease is lost. */
  protected abstract lossOf(): Error;

  /** Ends the lease after a write has found that it is lost. */
  protected lose(reason: Error): void {
    clearInterval(this.timer);
    this.lost.abort(reason);
  }

  private async tryToRenew(): Promise<void> {
    const before = performance.now();
    try {
      if (await this.extend()) this.renewedAt = before;
      else this.lose(this.lossOf());
    } catch {
      if (performance.now() - this.renewedAt > this.times.leaseSeconds * 1000) this.lose(this.lossOf());
    }
  }
}

/** The leases that a process holds, by the IDs of their rows. */
export class HeldLeases<Lease extends RenewedLease> {
  protected readonly times: LeaseTimes;
  private readonly held = new Map<string, Lease>();

  /**
   * @param owner names the evaluator. The name stays the same when it restarts, and differs between
   * evaluators that run at the same time.
   */
  constructor(
    protected readonly em: EntityManager,
    readonly owner: string,
    { leaseSeconds = 60, renewSeconds = leaseSeconds / 4 }: Partial<LeaseTimes> = {},
  ) {
    this.times = { leaseSeconds, renewSeconds };
  }

  /** Checks a lease when a notification names its row, and all after notifications may have been missed. */
  async listen(notifications: Notifications, channel: string): Promise<void> {
    await notifications.subscribe(
      channel,
      (id) => void this.check(id),
      () => void this.checkAll(),
    );
  }

  /** IDs of the rows that this process holds. */
  get live(): ReadonlySet<string> {
    return new Set(this.held.keys());
  }

  /**
   * Adds the lease that `make` creates, and removes it when it is closed.
   * @param make receives the function to call when the lease is closed
   */
  protected hold(id: string, make: (onClose: () => void) => Lease): Lease {
    const lease: Lease = make(() => {
      // this process may have claimed the row again in the meantime
      if (this.held.get(id) === lease) this.held.delete(id);
    });
    this.held.set(id, lease);
    return lease;
  }

  /** Checks immediately whether a lease still holds. For a notification about its row. */
  async check(id: string): Promise<void> {
    await this.held.get(id)?.renew();
  }

  /** Checks all leases. For when notifications may have been missed. */
  async checkAll(): Promise<void> {
    for (const lease of this.all()) await lease.renew();
  }

  protected all(): Iterable<Lease> {
    return this.held.values();
  }
}
