import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EVALUATOR_PROTOCOLS } from '@assay/contracts/evaluators';
import {
  type LeasedRunView,
  type LeasedStage,
  LeaseOffer,
  LONGEST_POLL_SECONDS,
  type RequestLease,
  type RunOutcome,
} from '@assay/contracts/gateway';
import type { ClaimMetrics } from '@assay/evaluation/execution';
import { failpoint, traced, withLogFields } from '@assay/observability';
import { Logger } from '@nestjs/common';
import type { RunWork } from '../run/run-stages.js';
import { ChangedWarnings } from './changed-warnings.js';
import { HttpRun, type HttpRunParts } from './http-run.js';
import { GrowingDelays } from './retries.js';
import { RunRenewal } from './run-renewal.js';
import { LeaseLost } from './service-error.js';
import { untilAccepted } from './until-accepted.js';

/** The version of the gateway's protocol that this evaluator uses. */
export const PROTOCOL = EVALUATOR_PROTOCOLS.at(-1)!;

/** Seconds that the response may be late. */
const LATE_SECONDS = 15;
const RELEASE_MILLISECONDS = 5_000;

type ClaimOutcome = Parameters<ClaimMetrics['claimEnded']>[1];

/** The outcomes of runs in the metrics. */
const COUNTED_AS: Readonly<Record<RunOutcome['kind'], ClaimOutcome>> = {
  admitted: 'continued',
  refused: 'failed',
  finished: 'done',
  failed: 'failed',
  abandoned: 'cancelled',
  postponed: 'continued',
  released: 'left',
  platform_failed: 'platform_failed',
};

/** The process is shutting down: the runs that it holds are released unchanged. */
class EvaluatorLeaves extends Error {
  constructor() {
    super('The evaluator is being stopped.');
    this.name = 'EvaluatorLeaves';
  }
}

export interface RemoteRunsParts extends Omit<HttpRunParts, 'signal'> {
  readonly work: Readonly<Record<LeasedRunView['work'], RunWork>>;
  /** Parent of the folders for temporary files of runs. */
  readonly workFolder: string;
  /** The number of models that are evaluated at the same time. One artifact is admitted beside them. */
  readonly concurrency: number;
  /** Throws if this host cannot run models now. */
  readonly expectAble?: () => Promise<void>;
  readonly onClaimEnded?: ClaimMetrics['claimEnded'];
}

/** Leases runs from the service, does their work, and reports errors of this host. */
export class RemoteRuns {
  private readonly logger = new Logger(RemoteRuns.name);
  private readonly leaving = new AbortController();
  private readonly held = new Set<string>();
  private readonly refusals = new ChangedWarnings(this.logger);
  private readonly unable = new ChangedWarnings(this.logger);
  private loops: readonly Promise<void>[] = [];

  constructor(private readonly parts: RemoteRunsParts) {}

  /** IDs of the runs that this evaluator holds. */
  get live(): ReadonlySet<string> {
    return this.held;
  }

  /** Starts to lease runs. */
  start(): void {
    const stages: LeasedStage[] = ['admission', ...Array<LeasedStage>(this.parts.concurrency).fill('evaluation')];
    this.loops = stages.map((stage) => this.lease(stage));
  }

  /** Leases nothing more, and releases the runs that are held. */
  async leave(): Promise<void> {
    this.leaving.abort(new EvaluatorLeaves());
    await Promise.all(this.loops);
  }

  private async lease(stage: LeasedStage): Promise<void> {
    const { signal } = this.leaving;
    const body: RequestLease = { protocol: PROTOCOL, stage, waitSeconds: LONGEST_POLL_SECONDS };
    const request = {
      method: 'POST',
      path: '/leases',
      body,
      silentSeconds: LONGEST_POLL_SECONDS + LATE_SECONDS,
    } as const;
    const delays = new GrowingDelays();
    while (!signal.aborted) {
      try {
        await this.untilAble();
        const offered = () => this.parts.client.request(request, LeaseOffer, signal);
        const { run } = await untilAccepted(offered, this.refusals, signal);
        if (run) await withLogFields({ run: run.assignment.run, stage }, () => this.hold(run, stage));
        delays.reset();
      } catch (error) {
        if (signal.aborted) return;
        this.logger.error({ message: 'the evaluator failed between two runs', err: error });
        await delays.wait(signal).catch(() => undefined);
      }
    }
  }

  /** Waits until this host can run models, so that a run loses no attempt. */
  private async untilAble(): Promise<void> {
    const delays = new GrowingDelays();
    for (;;) {
      try {
        await this.parts.expectAble?.();
        this.unable.clear();
        return;
      } catch (error) {
        this.unable.warn(`this host cannot take runs now: ${(error as Error).message}`);
        await delays.wait(this.leaving.signal);
      }
    }
  }

  private async hold(view: LeasedRunView, stage: LeasedStage): Promise<void> {
    const { run: id, fence } = view.assignment;
    this.held.add(id);
    const lease = new RunRenewal(this.parts.client, view);
    const signal = AbortSignal.any([lease.signal, this.leaving.signal]);
    const run = new HttpRun({ ...this.parts, signal }, view);
    const started = performance.now();
    let outcome: ClaimOutcome = 'platform_failed';
    try {
      failpoint('after-claim', id);
      await traced(stage, { 'assay.run': id, 'assay.claim': fence }, () => this.do(view.work, run, signal));
      outcome = COUNTED_AS[run.ended!];
    } catch (error) {
      outcome = await this.answerFor(run, lease, error);
    } finally {
      this.parts.onClaimEnded?.(stage, outcome, (performance.now() - started) / 1000);
      lease.close();
      await run.close();
      this.held.delete(id);
      await rm(join(this.parts.workFolder, id), { recursive: true, force: true });
    }
  }

  private async do(work: LeasedRunView['work'], run: HttpRun, signal: AbortSignal): Promise<void> {
    const { artifact, datasets, fence } = run.assignment;
    await mkdir(this.parts.workFolder, { recursive: true });
    signal.throwIfAborted();
    this.logger.log(`${work} of a ${artifact.kind}, ${datasets.length} evaluations, claim ${fence}`);
    const started = performance.now();
    await this.parts.work[work](run, signal);
    if (!run.ended) throw new Error('The work ended without an outcome');
    this.logger.log(`${work} ended after ${Math.round(performance.now() - started)} ms`);
  }

  /** Handles an error of the platform. Failures of the model are reported as values and never get here. */
  private async answerFor(run: HttpRun, lease: RunRenewal, error: unknown): Promise<ClaimOutcome> {
    const isStopped = error instanceof LeaseLost || lease.signal.aborted || this.leaving.signal.aborted;
    if (!isStopped) this.logger.error({ message: 'the platform failed', err: error });
    if (run.ended) return COUNTED_AS[run.ended];

    const failed = isStopped ? error : await this.failPlatform(run, error);
    if (failed instanceof LeaseLost || lease.signal.aborted) {
      this.logger.warn(`lease ${run.assignment.fence} is lost`);
      return 'lease_lost';
    }
    return this.leaving.signal.aborted ? this.release(run) : 'platform_failed';
  }

  /** Reports an error of the platform. Returns the error of the report, null if it was accepted. */
  private async failPlatform(run: HttpRun, error: unknown): Promise<unknown> {
    try {
      await run.failPlatform(`${(error as Error).message}.`);
      return null;
    } catch (failed) {
      if (!(failed instanceof LeaseLost)) this.logger.warn((failed as Error).message);
      return failed;
    }
  }

  private async release(run: HttpRun): Promise<ClaimOutcome> {
    await run
      .release(AbortSignal.timeout(RELEASE_MILLISECONDS))
      .catch((error: unknown) => this.logger.warn(`the run is not released: ${(error as Error).message}`));
    return 'left';
  }
}
