import { inTransaction } from '@assay/persistence';
import { lockSpecification } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { settleModels, type RunScope } from './model-states.js';
import type { RunPurpose, RunStage } from './run.js';

/** Somebody else holds the run now, or it was cancelled: whoever held it must stop, and has changed nothing since. */
export class LeaseLost extends Error {
  constructor(runId: string) {
    super(`the lease of run ${runId} is lost`);
    this.name = 'LeaseLost';
  }
}

export interface LeaseTimes {
  /** Seconds for which a claim or a renewal holds (60). */
  readonly leaseSeconds: number;
  /** Seconds between renewals (15). */
  readonly renewSeconds: number;
}

const TIMES: LeaseTimes = { leaseSeconds: 60, renewSeconds: 15 };

/** What a claim gives. */
interface ClaimedRun {
  readonly id: string;
  readonly fence: number;
  readonly attempts: number;
  readonly purpose: RunPurpose;
  readonly specification_id: string;
  readonly task_id: string;
}

/** Takes runs on behalf of one evaluator process. The time of a lease is the database's. */
export class RunLeases {
  private readonly times: LeaseTimes;
  private readonly held = new Map<string, RunLease>();

  /** @param owner names the evaluator; a restarted one has the same name, and no two that run have. */
  constructor(
    private readonly em: EntityManager,
    readonly owner: string,
    times: Partial<LeaseTimes> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  /** Ids of the runs that this process holds. */
  get live(): ReadonlySet<string> {
    return new Set(this.held.keys());
  }

  /**
   * Takes the run where it waits at `stage`, or where its lease has expired, which counts as an attempt that the platform lost.
   * @param seconds until its deadline
   * @returns null where it is somebody else's, at another stage, or ended
   */
  async claim(runId: string, stage: RunStage, seconds: number): Promise<RunLease | null> {
    const claimed = await inTransaction(this.em, async (em) => {
      const [run] = await em.execute<ClaimedRun[]>(
        `update run set fence = fence + 1, attempts = attempts + (state = 'leased')::int, state = 'leased',
           lease_until = now() + make_interval(secs => ?), lease_owner = ?, deadline = now() + make_interval(secs => ?),
           started_at = coalesce(started_at, now())
          where id = ? and stage = ? and (state = 'queued' or (state = 'leased' and lease_until < now()))
          returning id, fence, attempts, purpose, specification_id, task_id`,
        [this.times.leaseSeconds, this.owner, seconds, runId, stage],
      );
      return run;
    });
    if (!claimed) return null;

    const lease: RunLease = new RunLease(this.em, claimed, stage, this.times, () => {
      // it may have been claimed anew by this process
      if (this.held.get(runId) === lease) this.held.delete(runId);
    });
    this.held.set(runId, lease);
    return lease;
  }

  /** Looks at once whether the lease still holds; for a ring on `RUN_CHANNEL`. */
  async check(runId: string): Promise<void> {
    await this.held.get(runId)?.renew();
  }

  /** Looks at all of them; for when rings may have been missed. */
  async checkAll(): Promise<void> {
    for (const lease of this.held.values()) await lease.renew();
  }

  /**
   * Ends the leases that a dead predecessor of this process left, so that its runs need not wait for them to expire. Only for the start,
   * before the first claim. @returns how many
   */
  async expirePredecessors(): Promise<number> {
    const rows = await this.em
      .fork()
      .execute<unknown[]>(
        `update run set lease_until = now() - interval '1 second' where state = 'leased' and lease_owner = ? returning id`,
        [this.owner],
      );
    return rows.length;
  }
}

/** The right to work on a run, renewed until `close`. Every write goes through `write`, which a lost lease refuses. */
export class RunLease {
  readonly runId: string;
  /** Counts the claims of the run. */
  readonly fence: number;
  /** Attempts of this stage that a platform fault has ended so far. */
  readonly attempts: number;
  readonly purpose: RunPurpose;
  readonly scope: RunScope;
  /** For which it holds without a renewal. */
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
    this.scope = { specification: run.specification_id, task: run.task_id };
    this.timer = setInterval(() => void this.renew(), times.renewSeconds * 1000);
    this.timer.unref();
  }

  /** Aborted, with a `LeaseLost`, when the lease is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /**
   * Runs `work` in a transaction that holds the specification and the run, and only where this lease is still the run's own: a stale
   * writer changes no row. The states of the models follow in the same transaction.
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

  /** Extends the lease, or finds that it is lost. A database that is away is tried again until the lease must have expired. */
  renew(): Promise<void> {
    this.renewing ??= this.tryToRenew().finally(() => (this.renewing = null));
    return this.renewing;
  }

  /** Ends the renewals; what the run has become is the business of who wrote it. */
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

  private async extend(em: EntityManager): Promise<boolean> {
    const rows = await em.execute<unknown[]>(
      // never later than from now: the clock of the database may have been set back since
      `update run set lease_until = now() + make_interval(secs => ?)
        where id = ? and fence = ? and state = 'leased' returning id`,
      [this.times.leaseSeconds, this.runId, this.fence],
    );
    return rows.length > 0;
  }

  private lose(reason: LeaseLost): void {
    clearInterval(this.timer);
    this.lost.abort(reason);
  }
}
