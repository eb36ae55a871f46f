import { LEASE_LOST } from '@assay/contracts/gateway';
import type { ModelKind } from '@assay/contracts/models';
import { DomainError } from '@assay/kernel';
import { continued } from '@assay/observability';
import { HeldLeases, type LeaseTimes, RenewedLease } from '@assay/persistence/locks';
import { inTransaction } from '@assay/persistence/queries';
import { RunSpecificationRepository } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { settleModels } from '../outcomes/model-states.js';
import { type ClaimedRun, type FencedRun, RunRepository } from './run.repository.js';
import type { RunPriority, RunPurpose, RunScope, RunStage } from './run.js';

/**
 * The lease is lost: another process holds the run or deployment now, or it has ended. The former
 * holder must stop. None of its writes since then had an effect.
 */
export class LeaseLost extends DomainError {
  /** @param what such as "run 0199…" */
  constructor(what: string) {
    super('conflict', LEASE_LOST, `The lease of ${what} is lost. Another evaluator may hold it now, or it has ended.`);
    this.name = 'LeaseLost';
  }
}

/** The right to write about a run while its fence is the newest. */
export interface RunClaim extends FencedRun {
  readonly stage: RunStage;
  /** Attempts of this stage that have failed because of the platform. */
  readonly attempts: number;
  readonly priority: RunPriority;
  /** How often a live request has interrupted its measurement. */
  readonly interruptions: number;
  readonly kind: ModelKind;
  readonly purpose: RunPurpose;
  readonly scope: RunScope;
  /**
   * Runs `work` in a transaction that locks the specification and the run, provided that the claim
   * still holds: a stale writer changes no row. Updates the states of the models in the same
   * transaction.
   * @throws LeaseLost
   */
  write<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
}

/** Extends the lease of a claim by `seconds`, and runs `work` as `RunClaim.write` says. */
async function writeFenced<T>(
  all: EntityManager,
  claim: FencedRun & Pick<RunClaim, 'scope'>,
  seconds: number,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  return inTransaction(all, async (em) => {
    await new RunSpecificationRepository(em).lock(claim.scope.specification);
    if (!(await new RunRepository(em).extend(claim, seconds))) throw new LeaseLost(`run ${claim.runId}`);
    const result = await work(em);
    await settleModels(em, claim.scope);
    return result;
  });
}

/**
 * Returns a claim that nothing renews by itself: each write extends its lease, and continues the request
 * that queued the run.
 * @param seconds the length of the lease
 */
export function unattendedClaim(em: EntityManager, run: ClaimedRun, seconds: number): RunClaim {
  const { id, specification, task, origin, ...rest } = run;
  const claim = { runId: id, ...rest, scope: { specification, task } };
  return { ...claim, write: (work) => continued(origin, () => writeFenced(em, claim, seconds, work)) };
}

/** Leases runs on behalf of one process. Lease times are those of the database. */
export class RunLeases extends HeldLeases<RunLease> {
  /**
   * Leases a run that is queued at `stage`, or whose lease has expired. An expired lease counts as
   * an attempt that failed because of the platform.
   * @param seconds until the deadline of the run
   * @returns null if another process holds the run, or it is at another stage or has ended
   */
  async claim(runId: string, stage: RunStage, seconds: number): Promise<RunLease | null> {
    const claim = { owner: this.owner, leaseSeconds: this.times.leaseSeconds, deadlineSeconds: seconds };
    const claimed = await inTransaction(this.em, (em) => new RunRepository(em).claim(runId, stage, claim));
    return claimed && this.hold(runId, (onClose) => new RunLease(this.em, claimed, this.times, onClose));
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
 * once the lease is lost. It aborts with a `LeaseLost`.
 */
export class RunLease extends RenewedLease implements RunClaim {
  readonly runId: string;
  readonly fence: number;
  readonly stage: RunStage;
  readonly attempts: number;
  readonly priority: RunPriority;
  readonly interruptions: number;
  readonly kind: ModelKind;
  readonly purpose: RunPurpose;
  readonly scope: RunScope;

  constructor(
    private readonly em: EntityManager,
    run: ClaimedRun,
    times: LeaseTimes,
    onClose: () => void,
  ) {
    super(times, onClose);
    this.runId = run.id;
    this.fence = run.fence;
    this.stage = run.stage;
    this.attempts = run.attempts;
    this.priority = run.priority;
    this.interruptions = run.interruptions;
    this.kind = run.kind;
    this.purpose = run.purpose;
    this.scope = { specification: run.specification, task: run.task };
  }

  async write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await writeFenced(this.em, this, this.seconds, work);
    } catch (error) {
      if (error instanceof LeaseLost) this.lose(error);
      throw error;
    }
  }

  protected override extend(): Promise<boolean> {
    return new RunRepository(this.em.fork()).extend(this, this.seconds);
  }

  protected override lossOf(): LeaseLost {
    return new LeaseLost(`run ${this.runId}`);
  }
}
