import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GIB, type Answer, type Failure, type Measures } from '@assay/contracts';
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
import type { Sandbox, SandboxDriver, SandboxSpecification, StartOutcome } from '@assay/sandbox';
import type { LatencyPercentiles } from '@assay/scoring';
import type { BlobStore } from '@assay/storage';
import type { AdmittedImage } from '@assay/submissions';
import { failpoint } from '../failpoint.js';
import { acquireMeasuringLock } from '../host/host-lock.js';
import { datasetRows } from '@assay/tasks';
import { DatasetScore } from './dataset-score.js';
import { faultFailure, type Candour } from './failure-sentence.js';
import { latencyPass } from './latency-pass.js';
import type { ModelImages } from './model-images.js';
import { ModelSession } from './model-session.js';
import { offlinePass, type OfflineOutcome } from './offline-pass.js';
import type { ProgressReports } from './progress-reports.js';
import { rowWindows, type RowWindow } from './row-windows.js';
import type { RunMaterial } from './run-material.js';
import { TimeBudget } from './time-budget.js';
import { timedSample, type SampledDataset, type TimedSample } from './timed-sample.js';
import { unreadableDataset } from './unreadable-dataset.js';
import { warmUp } from './warm-up.js';

export interface SandboxRunParts {
  readonly driver: SandboxDriver;
  readonly images: ModelImages;
  readonly blobs: BlobStore;
  /** Of files that the run needs while it runs. */
  readonly workFolder: string;
  readonly progress: ProgressReports;
}

/** What the run measured so far. */
interface Costs {
  readonly latency: LatencyPercentiles;
  readonly coldStart: number;
  readonly hardware: string;
  examples: number;
  /** Of the offline passes. */
  seconds: number;
  contended: boolean;
}

/** A run that was ended by a failure which leaves nothing to be asked: it is recorded already. */
type Stopped = 'stopped';

const LOG_BYTES = 64 * 1024;
const GRACE_SECONDS = 600;

/**
 * One sandbox session that fills all missing evaluations of a specification: start, warm-up, latency pass, then the offline pass of each
 * dataset. What the model does wrong becomes failures; what the platform does wrong is thrown.
 */
export class SandboxRun {
  private readonly rng: Rng;
  /** Those whose datasets can be read. */
  private readonly cells: Evaluation[] = [];

  constructor(
    private readonly parts: SandboxRunParts,
    private readonly lease: RunLease,
    private readonly material: RunMaterial,
    /** Aborted when the lease is lost or the worker has to leave. */
    private readonly signal: AbortSignal,
  ) {
    // the order in which a model sees the examples is another one each time it is claimed
    this.rng = seededRng(`${lease.runId}/${lease.fence}`);
  }

  async fill(image: AdmittedImage): Promise<void> {
    const { artifact } = this.material;
    const digest = await this.parts.images.install(artifact, image, this.signal);
    // a dataset is read before the model starts: what can't be read is not the model's fault
    const sample = await this.sample();
    if (this.cells.length === 0) {
      await finishRun(this.lease, { measures: null, log: null });
      return;
    }
    const quiet = await acquireMeasuringLock(this.signal);
    try {
      const started = await this.parts.driver.start(this.specification(digest, image), this.signal);
      if (started.kind === 'ready') await this.use(started.sandbox, started.coldStartMilliseconds, sample);
      else await failRun(this.lease, startFailure(started, image), started.log);
    } finally {
      await quiet.release();
    }
  }

  private async use(sandbox: Sandbox, coldStart: number, sample: TimedSample): Promise<void> {
    // an abort must not wait for an answer
    const stop = () => void sandbox.stop().catch(() => undefined);
    this.signal.addEventListener('abort', stop, { once: true });
    try {
      this.signal.throwIfAborted();
      failpoint('after-start');
      await this.evaluate(sandbox, coldStart, sample);
    } finally {
      this.signal.removeEventListener('abort', stop);
      await sandbox.stop();
    }
  }

  private async evaluate(sandbox: Sandbox, coldStart: number, sample: TimedSample): Promise<void> {
    const { definition } = this.material;
    const { cells } = this;
    const startLog = await sandbox.log(LOG_BYTES);
    /** Whoever reads that a run has ended finds nothing of it on the host any more. */
    const end = async (): Promise<string> => {
      const log = this.candour === 'everything' ? await sandbox.log(LOG_BYTES) : hiddenLog(startLog);
      await sandbox.stop();
      return log;
    };
    const session = new ModelSession(sandbox, definition.output);
    const limits = this.material.specification.content.limits;
    const budget = new TimeBudget(limits.evaluationSeconds, limits.requestSeconds);
    const { signal, candour } = this;

    const examples = cells.reduce((sum, cell) => sum + cell.datasetVersion.examples, 0);
    const cold = await warmUp({ session, instances: sample.warmUp, examples, budget, signal, candour });
    if (cold) return failRun(this.lease, cold, await end());

    await sandbox.contended();
    const latency = await latencyPass({ session, sample: sample.latency, budget, signal, candour });
    if (latency.kind === 'failed') return failRun(this.lease, latency.failure, await end());

    const costs: Costs = {
      latency: latency.percentiles,
      coldStart,
      hardware: await this.parts.driver.hardware({ limits, runtime: this.material.specification.content.runtime }),
      examples: 0,
      seconds: 0,
      contended: await sandbox.contended(),
    };
    for (const cell of cells) {
      const earlier = latency.answers.get(cell.id) ?? new Map<number, Answer>();
      const stopped = await this.evaluateDataset(cell, { sandbox, session, budget, costs, earlier, end });
      if (stopped) return;
    }
    const measures = costs.examples > 0 ? await measuresOf(sandbox, costs) : null;
    await finishRun(this.lease, { measures, log: await end() });
    failpoint('after-commit');
  }

  private async evaluateDataset(
    cell: Evaluation,
    running: {
      readonly sandbox: Sandbox;
      readonly session: ModelSession;
      readonly budget: TimeBudget;
      readonly costs: Costs;
      readonly earlier: ReadonlyMap<number, Answer>;
      readonly end: () => Promise<string>;
    },
  ): Promise<Stopped | null> {
    const { sandbox, costs } = running;
    await startEvaluation(this.lease, cell.id);
    const score = await this.openScore(cell);
    try {
      const outcome = await this.ask(cell, score, running);
      if (outcome.kind === 'failed') {
        if (!outcome.fatal) return await failEvaluation(this.lease, cell.id, outcome.failure).then(() => null);
        await failRun(this.lease, outcome.failure, await running.end());
        return 'stopped';
      }
      costs.examples += outcome.examples;
      costs.seconds += outcome.seconds;
      costs.contended = (await sandbox.contended()) || costs.contended;

      const result = await score.finish();
      const { digest } = await this.parts.blobs.adopt(score.path);
      failpoint('before-commit');
      const measures = await measuresOf(sandbox, costs);
      await recordScore(this.lease, cell.id, { ...result, measures, predictions: digest });
      failpoint('after-commit');
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

  private ask(
    cell: Evaluation,
    score: DatasetScore,
    running: {
      readonly session: ModelSession;
      readonly budget: TimeBudget;
      readonly earlier: ReadonlyMap<number, Answer>;
    },
  ): Promise<OfflineOutcome> {
    const { dataset, examples } = cell.datasetVersion;
    const report = this.parts.progress.ofDataset(dataset.name, examples);
    return offlinePass({
      ...running,
      windows: this.windows(cell),
      total: examples,
      rng: this.rng,
      signal: this.signal,
      candour: candourFor(cell),
      tolerance: this.material.specification.content.limits.tolerance,
      score,
      onProgress: (done) => {
        if (done > examples / 2) failpoint('mid-dataset');
        report(done);
      },
    });
  }

  private windows(cell: Evaluation): AsyncGenerator<RowWindow> {
    return rowWindows(datasetRows(this.material.definition, this.parts.blobs.open(cell.datasetVersion.content)));
  }

  private async openScore(cell: Evaluation): Promise<DatasetScore> {
    const folder = join(this.parts.workFolder, this.lease.runId);
    await mkdir(folder, { recursive: true });
    const { definition: task } = this.material;
    const { blobs } = this.parts;
    return DatasetScore.create({ task, version: cell.datasetVersion, blobs, path: join(folder, cell.id) });
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
    return timedSample(datasets, this.rng);
  }

  /** Hidden inputs that a run has seen may be anywhere in what the model wrote since. */
  private get candour(): Candour {
    return this.material.cells.every((cell) => candourFor(cell) === 'everything') ? 'everything' : 'codes';
  }

  private specification(digest: string, image: AdmittedImage): SandboxSpecification {
    const { command, environment, limits, runtime } = this.material.specification.content;
    const seconds = limits.startSeconds + limits.evaluationSeconds + GRACE_SECONDS;
    return {
      image: digest,
      ...(command && { command }),
      environment,
      port: image.port,
      limits,
      runtime,
      labels: { run: this.lease.runId, attempt: this.lease.fence, deadline: Date.now() + seconds * 1000 },
    };
  }
}

/** Removes what a run left on the disk. */
export const removeWork = (workFolder: string, runId: string): Promise<void> =>
  rm(join(workFolder, runId), { recursive: true, force: true });

const candourFor = (cell: Evaluation): Candour =>
  cell.datasetVersion.dataset.visibility === 'hidden' ? 'codes' : 'everything';

const hiddenLog = (startLog: string): string =>
  `${startLog}${startLog === '' || startLog.endsWith('\n') ? '' : '\n'}[What it wrote after it was ready is not shown: it has seen hidden examples.]\n`;

async function measuresOf(sandbox: Sandbox, costs: Costs): Promise<Measures> {
  const { peak, cgroupPeak } = await sandbox.memory();
  const { p50, p90, p95, p99, count } = costs.latency;
  return {
    throughput: costs.examples / costs.seconds,
    latency_p50: p50,
    latency_p90: p90,
    latency_p95: p95,
    latency_p99: p99,
    latency_count: count,
    memory: peak === null ? null : peak / GIB,
    memory_cgroup: cgroupPeak === null ? null : cgroupPeak / GIB,
    cold_start: costs.coldStart,
    contended: costs.contended,
    hardware: costs.hardware,
  };
}

/** Why a model did not start. Files that it could not read are the likely reason, and it can't see them. */
function startFailure(outcome: Exclude<StartOutcome, { kind: 'ready' }>, image: AdmittedImage): Failure {
  const why = faultFailure(outcome, { phase: 'start' }, 'everything');
  if (image.unreadable.length === 0) return why;
  const paths = image.unreadable.map((path) => `"${path}"`).join(', ');
  return { ...why, message: `${why.message} It runs as uid 65534, which can't read ${paths}.` };
}
