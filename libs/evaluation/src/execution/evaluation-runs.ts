import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelKind } from '@assay/contracts/models';
import { releaseRun, retryRun } from '../outcomes/run-outcome.js';
import { LeaseLost, type RunLease, type RunLeases } from '../runs/run-lease.js';
import { Run, type RunStage } from '../runs/run.js';
import { failpoint, traced, withLogFields } from '@assay/observability';
import type { ClaimOutcome } from '@assay/observability';
import type { Ceilings } from '@assay/tasks/limits';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { deadlineSeconds, prepareRun } from './prepared-run.js';
import type { RunMaterial } from './run-material.js';

/** The process is shutting down: the runs that it holds are released unchanged. */
class WorkerLeaves extends Error {
  constructor() {
    super('the process is being stopped');
    this.name = 'WorkerLeaves';
  }
}

/**
 * Performs a stage of a run and records its result. A failure of the model is recorded; an error of
 * the platform is thrown.
 */
export type StageWork = (lease: RunLease, material: RunMaterial, signal: AbortSignal) => Promise<void>;

export interface RunStages {
  readonly admission: StageWork;
  readonly evaluation: StageWork;
  /** For a run that only measures. */
  readonly measures: StageWork;
}

/** Called after every claim. */
export type OnClaimEnded = (stage: RunStage, outcome: ClaimOutcome, seconds: number) => void;

/** Throws if this host cannot run an artifact of this kind now. */
export type ExpectAble = (kind: ModelKind) => Promise<void>;

/** The services of the host that runs use. */
export interface RunHost {
  readonly onClaimEnded?: OnClaimEnded;
  readonly expectAble?: ExpectAble;
  /** The limits of every run are lowered to these; default: the limits that the task sets. */
  readonly ceilings?: Ceilings;
}

/**
 * Leases runs, performs their stages and handles errors. This is the only place that decides
 * whether a run is retried.
 */
export class EvaluationRuns {
  private readonly logger = new Logger(EvaluationRuns.name);
  private readonly leaving = new AbortController();
  private readonly busy = new Set<Promise<unknown>>();

  constructor(
    private readonly em: EntityManager,
    private readonly leases: RunLeases,
    private readonly stages: RunStages,
    private readonly workFolder: string,
    private readonly host: RunHost = {},
  ) {}

  /**
   * Performs `stage` of the run if the run is queued at that stage. Skips a run that another process
   * has leased or that has ended.
   * @returns false if this host cannot run it now
   */
  execute(runId: string, stage: RunStage): Promise<boolean> {
    if (this.leaving.signal.aborted) return Promise.resolve(false);
    const work = withLogFields({ run: runId, stage }, () => this.claimAndDo(runId, stage));
    this.busy.add(work);
    return work.finally(() => this.busy.delete(work));
  }

  /** Leases nothing more, and releases the runs that are held. */
  async leave(): Promise<void> {
    this.leaving.abort(new WorkerLeaves());
    await Promise.allSettled(this.busy);
  }

  private async claimAndDo(runId: string, stage: RunStage): Promise<boolean> {
    const run = await this.em.fork().findOne(Run, runId, { populate: ['specification.artifact'] });
    if (!run) return true;
    if (!(await this.isAble(run.specification.artifact.kind))) return false;
    const lease = await this.leases.claim(runId, stage, deadlineSeconds(run, this.host.ceilings));
    if (!lease) return true;

    failpoint('after-claim', runId);
    const started = performance.now();
    let outcome: ClaimOutcome = 'platform_failed';
    try {
      const attributes = { 'assay.run': runId, 'assay.claim': lease.fence };
      await traced(stage, attributes, () => this.work(lease));
      outcome = await this.outcomeOf(runId);
    } catch (error) {
      outcome = await this.answerFor(lease, error);
    } finally {
      this.host.onClaimEnded?.(stage, outcome, (performance.now() - started) / 1000);
      lease.close();
      await rm(join(this.workFolder, runId), { recursive: true, force: true });
    }
    return true;
  }

  /**
   * True if this host can run such an artifact now. Otherwise it does not lease the run, so that
   * the run loses no attempt: it stays queued, for this or another evaluator.
   */
  private async isAble(kind: ModelKind): Promise<boolean> {
    try {
      await this.host.expectAble?.(kind);
      return true;
    } catch (error) {
      this.logger.warn(`this host cannot take the run now: ${(error as Error).message}`);
      return false;
    }
  }

  private async work(lease: RunLease): Promise<void> {
    await mkdir(this.workFolder, { recursive: true });
    const prepared = await prepareRun(this.em.fork(), lease, { ceilings: this.host.ceilings });
    if (prepared) await this.do(prepared.work, lease, prepared.material);
  }

  private async do(work: keyof RunStages, lease: RunLease, material: RunMaterial): Promise<void> {
    const { artifact, cells } = material;
    this.logger.log(`${work} of a ${artifact.kind}, ${cells.length} evaluations, claim ${lease.fence}`);
    const started = performance.now();
    await this.stages[work](lease, material, AbortSignal.any([lease.signal, this.leaving.signal]));
    this.logger.log(`${work} ended after ${Math.round(performance.now() - started)} ms`);
  }

  /**
   * Handles an error of the platform. Failures of the model are recorded as values and never get
   * here.
   */
  private async answerFor(lease: RunLease, error: unknown): Promise<ClaimOutcome> {
    // renewing detects a lost lease: the new holder has removed the sandbox, so the error is no
    // platform failure
    if (!(error instanceof LeaseLost)) await lease.renew();
    if (error instanceof LeaseLost || lease.signal.aborted) {
      this.logger.warn(`lease ${lease.fence} is lost`);
      return 'lease_lost';
    }
    if (this.leaving.signal.aborted) return releaseRun(lease).then(() => 'left');

    this.logger.error({ message: 'the platform failed', err: error });
    await retryRun(lease, `${(error as Error).message}.`);
    return 'platform_failed';
  }

  /**
   * Returns the outcome of a run without a platform error, for the metrics. A failed query counts
   * as `continued`, because counting must not cause an error.
   */
  private async outcomeOf(runId: string): Promise<ClaimOutcome> {
    const run = await this.em
      .fork()
      .findOne(Run, runId, { fields: ['state'] })
      .catch(() => null);
    const state = run?.state ?? 'queued';
    return state === 'queued' || state === 'leased' ? 'continued' : state;
  }
}
