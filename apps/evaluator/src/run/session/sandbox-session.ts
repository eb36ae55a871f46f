import type { Answer } from '@assay/contracts';
import type { Measures, Repeatability } from '@assay/contracts/metrics';
import type { Failure } from '@assay/contracts/models';
import type { Rng } from '@assay/kernel';
import { failpoint } from '@assay/observability';
import {
  type Sandbox,
  type SandboxData,
  type SandboxDriver,
  type SandboxSpecification,
  SandboxUnavailable,
} from '@assay/sandbox';
import type { AssignedDataset } from '@assay/contracts/gateway';
import { type AnswersUpload, areInputsUnavailable, type LeasedRun, type RunLog } from '../../gateway/leased-run.js';
import type { MeasuringLocks } from '../../host/measuring-locks.js';
import { seenVersions } from '../data/data-groups.js';
import { rowWindows } from '../data/row-windows.js';
import { disclosedFailure } from '../failure-sentence.js';
import { Contention } from '../latency/contention.js';
import { Costs } from '../latency/costs.js';
import type { LatencyFloors } from '../latency/latency-floors.js';
import { latencyPass, type EarlierAnswers } from '../latency/latency-pass.js';
import type { TimedSample } from '../latency/timed-sample.js';
import { offlinePass, type OfflineOutcome } from '../offline-pass.js';
import type { RepeatSample } from '../repeat/repeat-sample.js';
import { checkRepeatability } from '../repeat/repeatability-check.js';
import type { ModelImages } from './model-images.js';
import {
  disclosedLog,
  inSandbox,
  LOG_BYTES,
  sandboxSpecification,
  startFailure,
  type InstalledImage,
} from './model-sandbox.js';
import { ModelSession } from './model-session.js';
import type { ProgressReports } from './progress-reports.js';
import type { TimeBudget } from './time-budget.js';
import { TimeProjection } from './time-projection.js';
import { warmUp } from './warm-up.js';

export interface SandboxRunParts {
  readonly driver: SandboxDriver;
  readonly images: ModelImages;
  readonly floors: LatencyFloors;
  /** The number of consecutive remeasurements of costs measured under contention. */
  readonly retakes: number;
  readonly locks: MeasuringLocks;
}

/** The parts that the sessions of a run share. */
export interface SessionContext {
  readonly parts: SandboxRunParts;
  readonly leased: LeasedRun;
  readonly progress: ProgressReports;
  readonly installed: InstalledImage;
  /** The time for all sessions together. */
  readonly budget: TimeBudget;
  readonly rng: Rng;
  readonly signal: AbortSignal;
}

/**
 * The data of one session. All rows that it uses (scored, timed, repeated, warm-up) belong to these
 * datasets.
 */
export interface SessionPlan {
  readonly data: SandboxData;
  readonly datasets: readonly AssignedDataset[];
  readonly sample: TimedSample;
  readonly repeats: RepeatSample;
  /** True if the costs of the run are measured in this session. */
  readonly isMeasured: boolean;
  /** The IDs of the evaluations whose offline pass is timed. */
  readonly timed: ReadonlySet<string>;
  /** The number of examples that the run answers from the start of this session. */
  readonly examples: number;
}

export interface SessionEnd {
  /**
   * The reason why the model cannot be asked for anything else, as it may be disclosed. Null if all
   * datasets were requested.
   */
  readonly failure: Failure | null;
  /** The measures of the run so far. Null if no timed dataset was answered. */
  readonly measures: Measures | null;
  readonly log: RunLog;
  /** Absent if no example was repeated. */
  readonly repeatability?: Repeatability;
}

/** The parts of a running model that the passes of a session use. */
interface Running {
  readonly session: ModelSession;
  readonly projection: TimeProjection;
  /** Null if the run is measured in another session. */
  readonly costs: Costs | null;
  /** The answers of the latency pass, by evaluation ID. */
  readonly earlier: ReadonlyMap<string, EarlierAnswers>;
}

/**
 * A session with a fresh sandbox for data of one kind: start, warm-up, latency pass if the run is
 * measured here, the offline pass of each dataset, and some examples repeated in another fresh
 * container of the same kind. A session with hidden data discloses only scores, costs and fixed
 * codes.
 */
export class SandboxSession {
  /** @param measured the measures of an earlier session of the run */
  constructor(
    private readonly context: SessionContext,
    private readonly plan: SessionPlan,
    private readonly measured: Measures | null,
  ) {}

  /** The specification of each container of the session. */
  private get specification(): SandboxSpecification {
    const { leased, installed } = this.context;
    return sandboxSpecification(leased.assignment, installed, this.plan.data);
  }

  async fill(): Promise<SessionEnd> {
    try {
      const ended = await this.run();
      if (ended.failure) return { ...ended, failure: disclosedFailure(ended.failure, this.plan.data) };
      const repeatability = await this.repeatability();
      return { ...ended, ...(repeatability && { repeatability }) };
    } catch (error) {
      // the message of a platform error is disclosed, and a model could choose which error it
      // causes
      if (this.plan.data === 'hidden' && error instanceof SandboxUnavailable) {
        throw new SandboxUnavailable('the model could not be run on hidden data', { cause: error });
      }
      throw error;
    }
  }

  private async run(): Promise<SessionEnd> {
    const { parts, budget, signal, installed } = this.context;
    const { data, datasets } = this.plan;
    const started = await budget.without(() => parts.driver.start(this.specification, signal));
    if (started.kind !== 'ready') {
      const failure = startFailure(started, installed.image);
      return { failure, measures: this.measured, log: disclosedLog(started.log, data, seenVersions(datasets)) };
    }
    const { sandbox, coldStartMilliseconds } = started;
    return inSandbox(sandbox, signal, () => this.evaluate(sandbox, coldStartMilliseconds));
  }

  private async evaluate(sandbox: Sandbox, coldStart: number): Promise<SessionEnd> {
    const { leased, budget, signal } = this.context;
    const { sample, datasets, examples, data } = this.plan;
    failpoint('after-start', leased.assignment.run);
    // stopped here, so that nothing of the model is left on the host once the run is recorded as
    // ended
    const end = async (failure: Failure | null, costs?: Costs | null): Promise<SessionEnd> => {
      const measures = costs ? await costs.measures() : this.measured;
      const log = disclosedLog(await sandbox.log(LOG_BYTES), data, seenVersions(datasets));
      await sandbox.stop();
      return { failure, measures, log };
    };
    const session = new ModelSession(sandbox, leased.assignment.output, leased.assignment);

    const contention = new Contention(sandbox);
    const cold = await warmUp({ session, instances: sample.warmUp, budget, signal });
    if (cold) return end(cold);

    const timed = this.plan.isMeasured
      ? await this.timeSingleRequests(sandbox, contention, session, coldStart)
      : UNTIMED;
    if ('code' in timed) return end(timed);

    const projection = new TimeProjection(budget, () => contention.isFound());
    const running: Running = { session, projection, ...timed };
    let left = examples;
    for (const dataset of datasets) {
      projection.begin(left);
      left -= dataset.examples;
      const fatal = await this.answerDataset(dataset, running);
      if (fatal) return end(fatal, running.costs);
    }
    return end(null, running.costs);
  }

  private async timeSingleRequests(
    sandbox: Sandbox,
    contention: Contention,
    session: ModelSession,
    coldStart: number,
  ): Promise<Pick<Running, 'costs' | 'earlier'> | Failure> {
    const { parts, leased, budget, signal } = this.context;
    const { limits, runtime } = leased.assignment.specification;
    await contention.take();
    const latency = await latencyPass({ session, sample: this.plan.sample.latency, budget, signal });
    const contended = await contention.take();
    if (latency.kind === 'failed') return latency.failure;
    const hardware = await parts.driver.hardware({ limits, runtime });
    const costs = new Costs(sandbox, contention, { latency: latency.percentiles, coldStart, hardware, contended });
    return { costs, earlier: latency.answers };
  }

  /** @returns why the model cannot be asked for any other dataset; null if it can */
  private async answerDataset(dataset: AssignedDataset, running: Running): Promise<Failure | null> {
    const { leased } = this.context;
    const { costs } = running;
    const { id } = dataset;
    if (!(await leased.start(id))) return null;
    const upload = await leased.upload(id);
    try {
      const outcome = await this.askTimed(dataset, upload, running);
      if (outcome.kind === 'failed') {
        if (outcome.fatal) return outcome.failure;
        await leased.failDataset(id, disclosedFailure(outcome.failure, this.plan.data));
        return null;
      }
      await upload.finish({
        measures: costs ? await costs.measures() : this.measured,
        seen: seenVersions(this.plan.datasets),
        timed: [...(running.earlier.get(id)?.keys() ?? [])],
      });
      return null;
    } catch (error) {
      if (!areInputsUnavailable(error)) throw error;
      return null;
    } finally {
      await upload.discard();
    }
  }

  private async askTimed(dataset: AssignedDataset, upload: AnswersUpload, running: Running): Promise<OfflineOutcome> {
    const { costs } = running;
    if (!costs || !this.plan.timed.has(dataset.id)) return this.ask(dataset, upload, running);
    await costs.begin();
    const outcome = await this.ask(dataset, upload, running);
    if (outcome.kind !== 'failed' && (await costs.add(outcome))) running.projection.restart();
    return outcome;
  }

  private ask(
    dataset: AssignedDataset,
    upload: AnswersUpload,
    { session, projection, earlier }: Running,
  ): Promise<OfflineOutcome> {
    const { leased, progress, budget, rng, signal } = this.context;
    const { id, examples } = dataset;
    const report = progress.of(dataset, this.plan.data);
    return offlinePass({
      session,
      budget,
      projection,
      earlier: earlier.get(id) ?? new Map<number, Answer | null>(),
      windows: rowWindows(leased.inputs(id)),
      total: examples,
      rng,
      signal,
      tolerance: leased.assignment.specification.limits.tolerance,
      store: (answers) => upload.append(answers),
      onAnswer: this.plan.repeats.listener(id),
      onProgress: (done) => {
        if (done > examples / 2) failpoint('mid-dataset', leased.assignment.run);
        report(done);
      },
    });
  }

  /** Returns null if nothing was answered. */
  private async repeatability(): Promise<Repeatability | null> {
    const { parts, leased, budget, signal } = this.context;
    const first = this.plan.repeats.answers;
    if (first.length === 0) return null;
    const { assignment } = leased;
    return budget.without(() =>
      checkRepeatability({
        driver: parts.driver,
        specification: this.specification,
        session: (sandbox) => new ModelSession(sandbox, assignment.output, assignment),
        first,
        budget,
        signal,
      }),
    );
  }
}

const UNTIMED: Pick<Running, 'costs' | 'earlier'> = { costs: null, earlier: new Map() };
