import { mkdir } from 'node:fs/promises';
import type { ModelKind } from '@assay/contracts';
import {
  failRun,
  finishRun,
  LARGEST_ATTEMPTS,
  LeaseLost,
  platformFailure,
  refusalFor,
  recordAdmission,
  recordStart,
  releaseRun,
  retryRun,
  Run,
  type RunLease,
  type RunLeases,
  type RunStage,
} from '@assay/evaluation';
import { type Ceilings, clampLimits } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { traced, withLogFields } from '@assay/observability';
import { failpoint } from '../failpoint.js';
import type { ClaimOutcome } from '../host/work-metrics.js';
import { readMaterial, type RunMaterial } from './run-material.js';
import { removeWork } from './sandbox-run.js';

/** The worker has to leave: what it holds is put back as it was. */
export class WorkerLeaves extends Error {
  constructor() {
    super('the evaluator is being stopped');
    this.name = 'WorkerLeaves';
  }
}

/** Does what a stage of a run needs, and records it. The model's fate is recorded; what the platform does wrong is thrown. */
export type StageWork = (lease: RunLease, material: RunMaterial, signal: AbortSignal) => Promise<void>;

export interface RunStages {
  readonly admission: StageWork;
  readonly evaluation: StageWork;
  /** Of a run that only measures. */
  readonly measures: StageWork;
}

/** Told of every claim that has ended. */
export type OnClaimEnded = (stage: RunStage, outcome: ClaimOutcome, seconds: number) => void;

/** Throws what keeps this host from running such an artifact now. */
export type ExpectAble = (kind: ModelKind) => Promise<void>;

/** The host's services that runs use. */
export interface RunHost {
  readonly onClaimEnded?: OnClaimEnded;
  readonly expectAble?: ExpectAble;
  /** To which the limits of every run are lowered; default: they stay as the task sets them. */
  readonly ceilings?: Ceilings;
}

/** For waiting, installing an image and scoring, beside the time that the model has. */
const SLACK_SECONDS = 2 * 3600;

/** Takes runs, does their stages, and answers for what becomes of them: the one place that says what is tried again. */
export class EvaluationRuns {
  private readonly logger = new Logger(EvaluationRuns.name);
  private readonly leaving = new AbortController();
  private readonly busy = new Set<Promise<void>>();

  constructor(
    private readonly em: EntityManager,
    private readonly leases: RunLeases,
    private readonly stages: RunStages,
    private readonly workFolder: string,
    private readonly host: RunHost = {},
  ) {}

  /** Does the run where it waits at `stage`; a run that is somebody else's, or has ended, is none of our business. */
  execute(runId: string, stage: RunStage): Promise<void> {
    if (this.leaving.signal.aborted) return Promise.resolve();
    const work = withLogFields({ run: runId, stage }, () => this.claimAndDo(runId, stage));
    this.busy.add(work);
    return work.finally(() => this.busy.delete(work));
  }

  /** Takes nothing more, and puts back what is held. */
  async leave(): Promise<void> {
    this.leaving.abort(new WorkerLeaves());
    await Promise.allSettled(this.busy);
  }

  private async claimAndDo(runId: string, stage: RunStage): Promise<void> {
    const run = await this.em.fork().findOne(Run, runId, { populate: ['specification.artifact'] });
    if (!run || !(await this.isAble(run.specification.artifact.kind))) return;
    const lease = await this.leases.claim(runId, stage, secondsFor(run, this.host.ceilings));
    if (!lease) return;

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
      await removeWork(this.workFolder, runId);
    }
  }

  /** A host that can't work takes nothing, so that no run loses an attempt: the reconciler rings for it again, here or elsewhere. */
  private async isAble(kind: ModelKind): Promise<boolean> {
    try {
      await this.host.expectAble?.(kind);
      return true;
    } catch (error) {
      this.logger.warn(`it waits: ${(error as Error).message}`);
      return false;
    }
  }

  private async work(lease: RunLease): Promise<void> {
    if (lease.attempts >= LARGEST_ATTEMPTS) {
      return failRun(lease, platformFailure('the evaluator was gone before the run ended.'));
    }
    await mkdir(this.workFolder, { recursive: true });
    await recordStart(lease);
    const material = await readMaterial(this.em.fork(), lease, this.host.ceilings);
    if (lease.purpose === 'measures') return this.do('measures', lease, material);
    const { state, kind, image } = material.artifact;
    const known = refusalFor(material.artifact, material.definition.limits.unpacked);
    if (known) return failRun(lease, known);
    if (lease.stage === 'admission' && state === 'admitted' && kind !== 'predictions') {
      return recordAdmission(lease, image ?? null);
    }
    if (lease.stage === 'evaluation' && material.cells.length === 0) {
      await finishRun(lease, { measures: null });
      return;
    }
    await this.do(lease.stage, lease, material);
  }

  private async do(work: keyof RunStages, lease: RunLease, material: RunMaterial): Promise<void> {
    const { artifact, cells } = material;
    this.logger.log(`${work} of a ${artifact.kind}, ${cells.length} evaluations, claim ${lease.fence}`);
    const started = performance.now();
    await this.stages[work](lease, material, AbortSignal.any([lease.signal, this.leaving.signal]));
    this.logger.log(`${work} ended after ${Math.round(performance.now() - started)} ms`);
  }

  /** What the model does wrong never gets here. */
  private async answerFor(lease: RunLease, error: unknown): Promise<ClaimOutcome> {
    // whoever took the run over has removed what was still here: that is no fault of the platform
    if (!(error instanceof LeaseLost)) await lease.renew();
    if (error instanceof LeaseLost || lease.signal.aborted) {
      this.logger.warn(`lease ${lease.fence} is lost`);
      return 'lease_lost';
    }
    if (this.leaving.signal.aborted) return releaseRun(lease).then(() => 'left');

    this.logger.error('the platform failed', error as Error);
    await retryRun(lease, `${(error as Error).message}.`);
    return 'platform_failed';
  }

  /** What has become of a run that was worked on without a fault of the platform; to be counted, which must not make one. */
  private async outcomeOf(runId: string): Promise<ClaimOutcome> {
    const run = await this.em
      .fork()
      .findOne(Run, runId, { fields: ['state'] })
      .catch(() => null);
    const state = run?.state ?? 'queued';
    return state === 'queued' || state === 'leased' ? 'continued' : state;
  }
}

/** Until the deadline of a claim. */
function secondsFor({ specification }: Run, ceilings: Ceilings | undefined): number {
  const { limits } = specification.content;
  const { startSeconds, evaluationSeconds } = ceilings ? clampLimits(limits, ceilings) : limits;
  return SLACK_SECONDS + startSeconds + evaluationSeconds;
}
