import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FreeCapacity,
  type LeasedRunView,
  LeaseOffer,
  type RequestLease,
  type RunOutcome,
} from '@assay/contracts/gateway';
import { type ClaimMetrics, continued, failpoint, traced, withLogFields } from '@assay/observability';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { EvaluatorLeaves } from './evaluator-leaves.js';
import type { RunWork } from '../run/run-work.js';
import { HttpRun, type HttpRunParts } from './http-run.js';
import { LeaseRenewal } from './lease-renewal.js';
import { LeaseRequests, type LeaseRequestsParts } from './lease-requests.js';
import { LeaseLost } from './service-error.js';

const RELEASE_MILLISECONDS = 5_000;
/** The number of claims of a run after which it counts as an attempt if its host cannot run models: it may be the cause. */
const FREE_CLAIMS = 10;
/** Seconds that a request waits while runs are held, so that the next one soon says what has become free. */
const BUSY_POLL_SECONDS = 2;

type Limits = LeasedRunView['assignment']['specification']['limits'];
type ClaimOutcome = Parameters<ClaimMetrics['claimEnded']>[1];

/** The outcomes of runs in the metrics. */
const COUNTED_AS: Readonly<Record<RunOutcome['kind'], ClaimOutcome>> = {
  admitted: 'continued',
  refused: 'failed',
  finished: 'done',
  failed: 'failed',
  abandoned: 'cancelled',
  postponed: 'continued',
  interrupted: 'continued',
  released: 'left',
  platform_failed: 'platform_failed',
};

export interface LeasedRunsParts extends Omit<HttpRunParts, 'signal'>, LeaseRequestsParts {
  readonly work: Readonly<Record<LeasedRunView['work'], RunWork>>;
  /** Parent of the folders for temporary files of runs. */
  readonly workFolder: string;
  /** The cores and the memory for the models that are evaluated at the same time. One artifact is admitted beside them. */
  readonly capacity: FreeCapacity;
  readonly onClaimEnded?: ClaimMetrics['claimEnded'];
}

/** Leases runs from the service, does their work, and reports errors of this host. */
export class LeasedRuns {
  private readonly logger = new Logger(LeasedRuns.name);
  private readonly leaving = new AbortController();
  private readonly held = new Set<HttpRun>();
  /** The evaluations and measurements that are done now, by the limits of their models. */
  private readonly evaluations = new Map<Limits, Promise<void>>();
  private readonly requests: LeaseRequests;
  private loops: readonly Promise<void>[] = [];

  constructor(private readonly parts: LeasedRunsParts) {
    this.requests = new LeaseRequests(parts, this.leaving.signal);
  }

  /** IDs of the runs that this evaluator holds. */
  get live(): ReadonlySet<string> {
    // a run may be leased for its next stage before the work on its last one has ended
    return new Set([...this.held].map(({ assignment }) => assignment.run));
  }

  /** Starts to lease runs. */
  start(): void {
    this.loops = [
      this.lease('admission', (run) => this.begin(run, 'admission')),
      this.lease('evaluation', (run) => this.evaluate(run)),
    ];
  }

  /** Leases nothing more, and releases the runs that are held. */
  async leave(): Promise<void> {
    this.leaving.abort(new EvaluatorLeaves());
    await Promise.all(this.loops);
    await Promise.all(this.evaluations.values());
  }

  /** The cores and the memory that the evaluations leave. */
  private get free(): FreeCapacity {
    const { cpus, memoryBytes } = this.parts.capacity;
    const taken = [...this.evaluations.keys()];
    return {
      cpus: taken.reduce((left, limits) => Math.max(0, left - limits.cpus), cpus),
      memoryBytes: taken.reduce((left, limits) => Math.max(0, left - limits.memory), memoryBytes),
    };
  }

  private lease(stage: RequestLease['stage'], take: (run: LeasedRunView) => Promise<void>): Promise<void> {
    // a host without evaluations may have any of them, also one with more cores than its capacity
    const isBusy = () => stage === 'evaluation' && this.evaluations.size > 0;
    const fields = () => ({ stage, ...(isBusy() && { free: this.free, waitSeconds: BUSY_POLL_SECONDS }) });
    return this.requests.repeat({ path: '/leases', fields, offer: LeaseOffer }, async ({ run }) => {
      if (run) await take(run);
    });
  }

  /** Begins an evaluation, and waits until a core is free for the next one. */
  private async evaluate(run: LeasedRunView): Promise<void> {
    const { specification, datasets } = run.assignment;
    // nothing runs beside a measurement and a run on hidden data: it would only wait, until its deadline passes
    const isAlone = run.work === 'measures' || datasets.some(({ visibility }) => visibility === 'hidden');
    const limits = { ...specification.limits, ...(isAlone && { cpus: this.parts.capacity.cpus }) };
    const work = this.begin(run, 'evaluation').catch((error: unknown) => {
      this.logger.error({ message: 'the evaluator failed at the end of a run', err: error });
    });
    this.evaluations.set(limits, work);
    void work.finally(() => this.evaluations.delete(limits));
    while (this.free.cpus === 0) await Promise.race(this.evaluations.values());
  }

  private begin(run: LeasedRunView, stage: RequestLease['stage']): Promise<void> {
    const fields = { run: run.assignment.run, stage };
    return continued(run.origin, () => withLogFields(fields, () => this.hold(run, stage)));
  }

  private async hold(view: LeasedRunView, stage: RequestLease['stage']): Promise<void> {
    const { run: id, fence } = view.assignment;
    const path = `/runs/${encodeURIComponent(id)}/renewal?fence=${fence}`;
    const lease = new LeaseRenewal(view.leaseSeconds, (silentSeconds, closed) =>
      this.parts.client.requestOnce({ method: 'POST', path, silentSeconds }, z.unknown(), closed),
    );
    const signal = AbortSignal.any([lease.signal, this.leaving.signal]);
    const run = new HttpRun({ ...this.parts, signal }, view);
    this.held.add(run);
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
      this.held.delete(run);
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
  private async answerFor(run: HttpRun, lease: LeaseRenewal, error: unknown): Promise<ClaimOutcome> {
    const isStopped = error instanceof LeaseLost || lease.signal.aborted || this.leaving.signal.aborted;
    if (!isStopped) this.logger.error({ message: 'the platform failed', err: error });
    if (run.ended) return COUNTED_AS[run.ended];
    // another host may do it, and this one asks for nothing until it can run models again
    if (!isStopped && run.assignment.fence <= FREE_CLAIMS && !(await this.isAble())) return this.release(run);

    const failed = isStopped ? error : await this.failPlatform(run, error);
    if (failed instanceof LeaseLost || lease.signal.aborted) {
      this.logger.warn(`lease ${run.assignment.fence} is lost`);
      return 'lease_lost';
    }
    return this.leaving.signal.aborted ? this.release(run) : 'platform_failed';
  }

  /** Returns whether this host can run models now. */
  private async isAble(): Promise<boolean> {
    try {
      await this.parts.expectAble?.();
      return true;
    } catch {
      return false;
    }
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
