import { inTransaction } from '@assay/persistence';
import { lockSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { settleModels } from './model-states.js';
import type { RunScope } from './run.js';
import { type ClaimedRun, type FencedRun, RunRepository } from './run.repository.js';
import type { RunPurpose, RunStage } from './run.js';

/**
 * The lease is lost: another process holds the run now, or the run has ended. The former holder
 * must stop. None of its writes since then had an effect.
 */
export class LeaseLost extends Error {
  constructor(runId: string) {
    super(`the lease of run ${runId} is lost`);
    this.name = 'LeaseLost';
  }
}

export interface LeaseTimes {
  /** Seconds for which a claim or a renewal is valid (default: 60). */
  readonly leaseSeconds: number;
  /** Seconds between renewals (default: 15). */
  readonly renewSeconds: number;
}

const TIMES: LeaseTimes = { leaseSeconds: 60, renewSeconds: 15 };

/** Leases runs on behalf of one evaluator process. Lease times are those of the database. */
export class RunLeases {
  private readonly times: LeaseTimes;
  private readonly held = new Map<string, RunLease>();

  /**
   * @param owner names the evaluator. The name stays the same when it restarts, and differs between
   * evaluators that run at the same time.
   */
  constructor(
    private readonly em: EntityManager,
    readonly owner: string,
    times: Partial<LeaseTimes> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  /** IDs of the runs that this process holds. */
  get live(): ReadonlySet<string> {
    return new Set(this.held.keys());
  }

  /**
   * Leases a run that is queued at `stage`, or whose lease has expired. An expired lease counts as
   * an attempt that failed because of the platform.
   * @param seconds until the deadline of the run
   * @returns null if another process holds the run, or it is at another stage or has ended
   */
  async claim(runId: string, stage: RunStage, seconds: number): Promise<RunLease | null> {
    const claim = { owner: this.owner, leaseSeconds: this.times.leaseSeconds, deadlineSeconds: seconds };
    const claimed = await inTransaction(this.em, (em) => new RunRepository(em).claim(runId, stage, claim));
    if (!claimed) return null;

    const lease: RunLease = new RunLease(this.em, claimed, stage, this.times, () => {
      // this process may have claimed the run again in the meantime
      if (this.held.get(runId) === lease) this.held.delete(runId);
    });
    this.held.set(runId, lease);
    return lease;
  }

  /** Checks immediately whether the lease still holds. For a notification on `RUN_CHANNEL`. */
  async check(runId: string): Promise<void> {
    await this.held.get(runId)?.renew();
  }

  /** Checks all leases. For when notifications may have been missed. */
  async checkAll(): Promise<void> {
    for (const lease of this.held.values()) await lease.renew();
  }

  /**
   * Expires the leases of a previous process with the same owner name, so that its runs need not
   * wait for that. Call it only at startup, before the first claim.
   * @returns the number of expired leases
   */
  expirePredecessors(): Promise<number> {
    return new RunRepository(this.em.fork()).expireLeasesOf(this.owner);
  }
}

/**
 * The right to work on a run, renewed until `close`. All writes go through `write`, which fails
 * once the lease is lost.
 */
export class RunLease implements FencedRun {
  readonly runId: string;
  readonly fence: number;
  /** Attempts of this stage that have failed because of the platform. */
  readonly attempts: number;
  readonly purpose: RunPurpose;
  readonly scope: RunScope;
  /** Seconds for which the lease is valid without a renewal. */
  readonly seconds: number;
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private renewedAt = performance.now();
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly em: EntityManager,
    run: ClaimedRun,
    readonly stage: RunStage,
    private readonly times: LeaseTimes,
    private readonly onClose: () => void,
  ) {
    this.runId = run.id;
    this.fence = run.fence;
    this.attempts = run.attempts;
    this.purpose = run.purpose;
    this.seconds = times.leaseSeconds;
    this.scope = { specification: run.specification, task: run.task };
    this.timer = setInterval(() => void this.renew(), times.renewSeconds * 1000);
    this.timer.unref();
  }

  /** Aborts with a `LeaseLost` when the lease is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /**
   * Runs `work` in a transaction that locks the specification and the run, provided that this lease
   * still holds: a stale writer changes no row. Updates the states of the models in the same
   * transaction.
   * @throws LeaseLost
   */
  async write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await inTransaction(this.em, async (em) => {
        await lockSpecification(em, this.scope.specification);
        if (!(await this.extend(em))) throw new LeaseLost(this.runId);
        const result = await work(em);
        await settleModels(em, this.scope);
        return result;
      });
    } catch (error) {
      if (error instanceof LeaseLost) this.lose(error);
      throw error;
    }
  }

  /**
   * Extends the lease, or finds that it is lost. If the database is unavailable, the next renewal
   * tries again until the lease must have expired.
   */
  renew(): Promise<void> {
    this.renewing ??= this.tryToRenew().finally(() => (this.renewing = null));
    return this.renewing;
  }

  /** Stops the renewals. Does not change the state of the run, which `write` has to set. */
  close(): void {
    clearInterval(this.timer);
    this.onClose();
  }

  private async tryToRenew(): Promise<void> {
    const before = performance.now();
    try {
      if (await this.extend(this.em.fork())) this.renewedAt = before;
      else this.lose(new LeaseLost(this.runId));
    } catch {
      if (performance.now() - this.renewedAt > this.times.leaseSeconds * 1000) this.lose(new LeaseLost(this.runId));
    }
  }

  private extend(em: EntityManager): Promise<boolean> {
    return new RunRepository(em).extend(this, this.times.leaseSeconds);
  }

  private lose(reason: LeaseLost): void {
    clearInterval(this.timer);
    this.lost.abort(reason);
  }
}
