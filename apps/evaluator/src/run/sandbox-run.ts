import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer, Measures } from '@assay/contracts';
import {
  failEvaluation,
  failRun,
  finishRun,
  recordScore,
  startEvaluation,
  type Evaluation,
  type RunLease,
} from '@assay/evaluation';
import { seededRng, type Rng } from '@assay/kernel';
import { traced } from '@assay/observability';
import type { Sandbox, SandboxDriver, SandboxSpecification } from '@assay/sandbox';
import type { BlobStore } from '@assay/storage';
import type { AdmittedImage } from '@assay/submissions';
import type { EntityManager } from '@mikro-orm/postgresql';
import { failpoint } from '../failpoint.js';
import type { MeasuringLocks } from '../host/host-lock.js';
import { datasetRows, namedExamples } from '@assay/tasks';
import { Costs, isTimed } from './costs.js';
import { DatasetScore } from './dataset-score.js';
import { latencyPass, type EarlierAnswers } from './latency-pass.js';
import type { LatencyFloors } from './latency-floors.js';
import type { ModelImages } from './model-images.js';
import { candourOf, hiddenLog, inSandbox, LOG_BYTES, sandboxSpecification, startFailure } from './model-sandbox.js';
import { ModelSession } from './model-session.js';
import { offlinePass, type OfflineOutcome } from './offline-pass.js';
import { originalAnswers, type Answered } from './original-answers.js';
import type { ProgressReports } from './progress-reports.js';
import { RepeatSample } from './repeat-sample.js';
import { checkRepeatability } from './repeatability-check.js';
import { rowWindows, type RowWindow } from './row-windows.js';
import type { RunMaterial } from './run-material.js';
import { Stillness } from './stillness.js';
import { TimeBudget } from './time-budget.js';
import { timedSample, type SampledDataset, type TimedSample } from './timed-sample.js';
import { unreadableDataset } from './unreadable-dataset.js';
import { warmUp } from './warm-up.js';

export interface SandboxRunParts {
  readonly em: EntityManager;
  readonly driver: SandboxDriver;
  readonly images: ModelImages;
  readonly blobs: BlobStore;
  /** Of files that the run needs while it runs. */
  readonly workFolder: string;
  readonly progress: ProgressReports;
  readonly floors: LatencyFloors;
  /** How often in a row costs that were taken under contention are taken again. */
  readonly retakes: number;
  readonly locks: MeasuringLocks;
}

/** All datasets were asked for, and the model is stopped. */
interface Ended {
  /** Null where nothing that is timed was answered. */
  readonly measures: Measures | null;
  readonly budget: TimeBudget;
  readonly log: string;
}

/** A run that was ended by a failure which leaves nothing to be asked: it is recorded already. */
type Stopped = 'stopped';

/** What the passes of a run need of the model that runs. */
interface Running {
  readonly session: ModelSession;
  readonly budget: TimeBudget;
  readonly costs: Costs;
  /** What was answered in the latency pass, by evaluation. */
  readonly earlier: ReadonlyMap<string, EarlierAnswers>;
  /** Stops the model. Whoever reads that a run has ended finds nothing of it on the host any more. @returns its log */
  readonly end: () => Promise<string>;
}

/**
 * One sandbox session that fills all missing evaluations of a specification: start, warm-up, latency pass, then the offline pass of each
 * dataset. Then, with the scores committed: the floor of the latencies, and some examples once more in a fresh container. What the model does
 * wrong becomes failures; what the platform does wrong is thrown.
 */
export class SandboxRun {
  private readonly rng: Rng;
  /** Those whose datasets can be read. */
  private readonly cells: Evaluation[] = [];
  private readonly still: Stillness;
  private repeats = new RepeatSample();

  constructor(
    private readonly parts: SandboxRunParts,
    private readonly lease: RunLease,
    private readonly material: RunMaterial,
    /** Aborted when the lease is lost or the worker has to leave. */
    private readonly signal: AbortSignal,
  ) {
    // the order in which a model sees the examples is another one each time it is claimed
    this.rng = seededRng(`${lease.runId}/${lease.fence}`);
    this.still = new Stillness(material.definition, signal, parts.locks);
  }

  async fill(image: AdmittedImage): Promise<void> {
    const { artifact } = this.material;
    const digest = await this.parts.images.install(artifact, image, this.signal);
    failpoint('after-install', this.lease.runId);
    // a dataset is read before the model starts: what can't be read is not the model's fault
    const sample = await this.sample();
    if (this.cells.length === 0) {
      await finishRun(this.lease, { measures: null, log: null });
      return;
    }
    const specification = sandboxSpecification(this.lease, this.material, digest, image);
    const quiet = await this.parts.locks.measuring(this.signal, this.lease.seconds);
    try {
      const started = await this.parts.driver.start(specification, this.signal);
      if (started.kind !== 'ready') {
        await failRun(this.lease, startFailure(started, image), started.log);
        return;
      }
      const { sandbox, coldStartMilliseconds } = started;
      const ended = await inSandbox(sandbox, this.signal, () => this.evaluate(sandbox, coldStartMilliseconds, sample));
      if (ended) await this.conclude(specification, sample, ended);
    } finally {
      await quiet.release();
    }
  }

  private async evaluate(sandbox: Sandbox, coldStart: number, sample: TimedSample): Promise<Ended | null> {
    failpoint('after-start', this.lease.runId);
    const { cells, signal } = this;
    const candour = candourOf(this.material.cells);
    const startLog = await sandbox.log(LOG_BYTES);
    const end = async (): Promise<string> => {
      const log = candour === 'everything' ? await sandbox.log(LOG_BYTES) : hiddenLog(startLog);
      await sandbox.stop();
      return log;
    };
    const { limits, runtime } = this.material.specification.content;
    const session = new ModelSession(sandbox, this.material.definition.output);
    const budget = new TimeBudget(limits.evaluationSeconds, limits.requestSeconds);

    const examples = cells.reduce((sum, cell) => sum + cell.datasetVersion.examples, 0);
    const cold = await warmUp({ session, instances: sample.warmUp, examples, budget, signal, candour });
    if (cold) return await failRun(this.lease, cold, await end()).then(() => null);

    const { latency, contended } = await this.still.during(budget, async () => {
      await sandbox.contended();
      const passed = await latencyPass({ session, sample: sample.latency, budget, signal, candour });
      return { latency: passed, contended: await sandbox.contended() };
    });
    if (latency.kind === 'failed') return await failRun(this.lease, latency.failure, await end()).then(() => null);

    const hardware = await this.parts.driver.hardware({ limits, runtime });
    const costs = new Costs(sandbox, { latency: latency.percentiles, coldStart, hardware, contended });
    const running: Running = { session, budget, costs, earlier: latency.answers, end };
    for (const cell of cells) if (await this.evaluateDataset(cell, running)) return null;
    return { measures: await costs.measures(), budget, log: await end() };
  }

  /** What needs the scores no more, and what they need not wait for. */
  private async conclude(
    specification: SandboxSpecification,
    sample: TimedSample,
    { measures, budget, log }: Ended,
  ): Promise<void> {
    const { signal, lease } = this;
    const { driver, floors, retakes } = this.parts;
    const { output } = this.material.definition;
    const instances = sample.latency.map(({ row }) => row.instance);
    const request = { like: specification, instances, task: lease.scope.task, signal };
    const floor = measures ? await this.still.during(budget, () => floors.floor(request)) : null;
    const first = this.repeats.answers;
    const session = (sandbox: Sandbox) => new ModelSession(sandbox, output);
    const repeatability =
      first.length > 0
        ? await checkRepeatability({ driver, specification, session, first, budget, signal })
        : undefined;
    failpoint('before-finish', lease.runId);
    await finishRun(lease, {
      measures: measures && { ...measures, floor },
      log,
      retakes,
      ...(repeatability && { repeatability }),
    });
    failpoint('after-commit', lease.runId);
  }

  private async evaluateDataset(cell: Evaluation, running: Running): Promise<Stopped | null> {
    const { costs } = running;
    await startEvaluation(this.lease, cell.id);
    const original = await originalAnswers(this.parts.em, cell);
    if (original?.kind === 'missing') {
      await failEvaluation(this.lease, cell.id, original.failure);
      return null;
    }
    const score = await this.openScore(cell, original);
    try {
      const outcome = await this.askTimed(cell, score, running);
      if (outcome.kind === 'failed') {
        if (!outcome.fatal) return await failEvaluation(this.lease, cell.id, outcome.failure).then(() => null);
        await failRun(this.lease, outcome.failure, await running.end());
        return 'stopped';
      }
      const result = await traced('score', { 'assay.evaluation': cell.id }, () => score.finish());
      const { digest } = await this.parts.blobs.adopt(score.path);
      failpoint('before-commit', this.lease.runId);
      await recordScore(this.lease, cell.id, { ...result, measures: await costs.measures(), predictions: digest });
      failpoint('after-commit', this.lease.runId);
      return null;
    } catch (error) {
      const unreadable = unreadableDataset(error, cell);
      if (!unreadable) throw error;
      await failEvaluation(this.lease, cell.id, unreadable);
      return null;
    } finally {
      await score.discard();
    }
  }

  private askTimed(cell: Evaluation, score: DatasetScore, running: Running): Promise<OfflineOutcome> {
    const { budget, costs } = running;
    if (!isTimed(cell)) return this.ask(cell, score, running);
    return this.still.during(budget, async () => {
      await costs.skip();
      const outcome = await this.ask(cell, score, running);
      if (outcome.kind !== 'failed') await costs.add(outcome);
      return outcome;
    });
  }

  private ask(cell: Evaluation, score: DatasetScore, { session, budget, earlier }: Running): Promise<OfflineOutcome> {
    const { dataset, examples } = cell.datasetVersion;
    const report = this.parts.progress.ofExamples(namedExamples(dataset), examples);
    return offlinePass({
      session,
      budget,
      earlier: earlier.get(cell.id) ?? new Map<number, Answer | null>(),
      windows: this.windows(cell),
      total: examples,
      rng: this.rng,
      signal: this.signal,
      candour: candourOf([cell]),
      tolerance: this.material.specification.content.limits.tolerance,
      score,
      onAnswer: this.repeats.listener(cell.id),
      onProgress: (done) => {
        if (done > examples / 2) failpoint('mid-dataset', this.lease.runId);
        report(done);
      },
    });
  }

  private windows(cell: Evaluation): AsyncGenerator<RowWindow> {
    return rowWindows(datasetRows(this.material.definition, this.parts.blobs.open(cell.datasetVersion.content)));
  }

  private async openScore(cell: Evaluation, original: Answered | null): Promise<DatasetScore> {
    const folder = join(this.parts.workFolder, this.lease.runId);
    await mkdir(folder, { recursive: true });
    const { definition: task } = this.material;
    const { blobs } = this.parts;
    return DatasetScore.create({ task, version: cell.datasetVersion, blobs, original, path: join(folder, cell.id) });
  }

  private async sample(): Promise<TimedSample> {
    const datasets: SampledDataset[] = [];
    for (const cell of this.material.cells) {
      try {
        for await (const window of this.windows(cell)) {
          datasets.push({ id: cell.id, examples: cell.datasetVersion.examples, window });
          this.cells.push(cell);
          break;
        }
      } catch (error) {
        const unreadable = unreadableDataset(error, cell);
        if (!unreadable) throw error;
        await failEvaluation(this.lease, cell.id, unreadable);
      }
    }
    this.repeats = RepeatSample.draw(datasets, this.rng);
    const timed = datasets.filter(({ id }) => this.cells.some((cell) => cell.id === id && isTimed(cell)));
    return timedSample(timed.length > 0 ? timed : datasets, this.rng);
  }
}

/** Removes what a run left on the disk. */
export const removeWork = (workFolder: string, runId: string): Promise<void> =>
  rm(join(workFolder, runId), { recursive: true, force: true });
