import type { Answer } from '@assay/contracts';
import type { Repeatability } from '@assay/contracts/metrics';
import type { Failure } from '@assay/contracts/models';
import { type Evaluation } from '@assay/evaluation/evaluations';
import { abandonRun, failRun, finishRun, postponeRun, type RunLog } from '@assay/evaluation/outcomes';
import { type RunLease } from '@assay/evaluation/runs';
import { seededRng, type Rng } from '@assay/kernel';
import type { Sandbox, SandboxSpecification } from '@assay/sandbox';
import type { AdmittedImage } from '@assay/submissions/artifacts';
import type { DatasetRow } from '@assay/tasks/examples';
import { failpoint } from '@assay/observability';
import type { Held } from '@assay/persistence/locks';
import { Costs } from './costs.js';
import { seenVersions, timedCells, type DataGroup } from '../data/data-groups.js';
import { disclosedFailure } from '../failure-sentence.js';
import { inTurn } from '../hidden-turn.js';
import { KnownAnswers } from '../data/known-answers.js';
import { latencyPass } from './latency-pass.js';
import { drawRows, MEASURED_ROWS, timedWindows } from './measured-rows.js';
import { disclosedLog, inSandbox, LOG_BYTES, sandboxSpecification, startFailure } from '../session/model-sandbox.js';
import { ModelSession } from '../session/model-session.js';
import { offlinePass } from '../offline-pass.js';
import { RepeatSample } from '../repeat/repeat-sample.js';
import { checkRepeatability } from '../repeat/repeatability-check.js';
import { datasetWindows } from '../data/row-windows.js';
import type { RunMaterial } from '@assay/evaluation/execution';
import type { SandboxRunParts } from '../session/sandbox-session.js';
import { QuietWindow } from './quiet-window.js';
import { TimeBudget } from '../session/time-budget.js';
import { timedSample, type SampledDataset } from './timed-sample.js';
import { warmUp } from '../session/warm-up.js';

/** Total seconds of the offline passes. */
const OFFLINE_SECONDS = 60;

export interface MeasuresRunParts extends Omit<SandboxRunParts, 'progress'> {
  /**
   * Returns true if the run has waited long enough for a quiet host. It then measures anyway, and
   * marks the costs as contended.
   */
  readonly isDue: (lease: RunLease) => Promise<boolean>;
  /** Returns true if evaluations wait for their scores. They take precedence. */
  readonly othersWait: () => Promise<boolean>;
}

interface MeasuredDataset extends SampledDataset {
  readonly cell: Evaluation;
}

const NOT_COMPARED: Repeatability = { compared: 0, different: 0 };

type Passed = { readonly costs: Costs } | { readonly failure: Failure; readonly log: RunLog };

/**
 * Remeasures the costs of a model when the host is quiet. Repeats the passes of an evaluation for
 * about a minute, on at most about 10,000 examples of the most public data. The answers only have
 * to match those that were scored; scores and states stay unchanged, whatever the model does.
 */
export class MeasuresRun {
  private readonly rng: Rng;
  private readonly still: QuietWindow;
  private readonly group: DataGroup;
  private repeats = new RepeatSample();

  constructor(
    private readonly parts: MeasuresRunParts,
    private readonly lease: RunLease,
    private readonly material: RunMaterial,
    /** Aborted when the lease is lost or the evaluator shuts down. */
    private readonly signal: AbortSignal,
  ) {
    this.rng = seededRng(`${lease.runId}/${lease.fence}`);
    this.still = new QuietWindow(material.definition, signal, parts.locks);
    this.group = timedCells(material.cells);
  }

  async take(): Promise<void> {
    const { artifact, cells } = this.material;
    const { image } = artifact;
    if (!image || artifact.archivedAt || cells.length === 0) return abandonRun(this.lease);

    const lock = await this.quietHost();
    if (!lock) return postponeRun(this.lease);
    try {
      const digest = await this.parts.images.install(artifact, image, this.signal);
      const specification = sandboxSpecification(this.lease, this.material, { digest, image }, this.group.data);
      const turn = { ...this.parts, owners: this.material.owners, signal: this.signal };
      if (!(await inTurn([this.group.data], turn, () => this.measure(specification, image)))) {
        await postponeRun(this.lease);
      }
    } finally {
      await lock.release();
    }
  }

  /**
   * Acquires the measuring lock if nothing else on the host would affect the measurement, or if the
   * run has waited long enough. Null if it cannot measure now.
   */
  private async quietHost(): Promise<Held | null> {
    const due = await this.parts.isDue(this.lease);
    if (!due && (await this.parts.othersWait())) return null;
    const lock = await this.parts.locks.tryMeasuring();
    if (!lock || due) return lock;
    let quiet = false;
    try {
      quiet = await this.parts.driver.isQuiet();
    } finally {
      if (!quiet) await lock.release();
    }
    return quiet ? lock : null;
  }

  private async measure(specification: SandboxSpecification, image: AdmittedImage): Promise<void> {
    const { lease, signal } = this;
    const datasets = await this.datasets();
    const sample = timedSample(datasets, this.rng);
    const known = await KnownAnswers.read(datasets, this.parts.blobs);
    const { limits } = specification;
    const { evaluationSeconds, requestSeconds } = this.material.specification.content.limits;
    const started = await this.parts.driver.start(specification, signal);
    const { data } = this.group;
    if (started.kind !== 'ready') {
      const failure = disclosedFailure(startFailure(started, image), data);
      return failRun(lease, failure, disclosedLog(started.log, data, seenVersions(this.group.cells)));
    }

    const budget = new TimeBudget(evaluationSeconds, requestSeconds);
    const { sandbox, coldStartMilliseconds: coldStart } = started;
    const passed = await inSandbox(sandbox, signal, async () => {
      const running = { sandbox, budget, coldStart, limits };
      return this.still.during(budget, () => this.passes(running, datasets, sample, known));
    });
    if ('failure' in passed) return failRun(lease, passed.failure, passed.log);

    const repeatability = await this.repeatability(specification, budget);
    const contradiction = known.contradiction(
      repeatability ?? this.material.specification.repeatability ?? NOT_COMPARED,
    );
    if (contradiction) return failRun(lease, disclosedFailure(contradiction, data));

    const measures = await passed.costs.measures();
    const instances = sample.latency.map(({ row }) => row.instance);
    const request = { like: specification, instances, task: lease.scope.task, signal };
    const floor = measures ? await this.still.during(budget, () => this.parts.floors.floor(request)) : null;
    await finishRun(lease, {
      measures: measures && { ...measures, floor },
      retakes: this.parts.retakes,
      ...(repeatability && { repeatability }),
    });
  }

  private async passes(
    running: {
      readonly sandbox: Sandbox;
      readonly budget: TimeBudget;
      readonly coldStart: number;
      readonly limits: SandboxSpecification['limits'];
    },
    datasets: readonly MeasuredDataset[],
    sample: ReturnType<typeof timedSample>,
    known: KnownAnswers,
  ): Promise<Passed> {
    failpoint('after-start');
    const { sandbox, budget, coldStart, limits } = running;
    const { signal } = this;
    const { data, cells } = this.group;
    const failed = async (why: Failure): Promise<Passed> => ({
      failure: disclosedFailure(why, data),
      log: disclosedLog(await sandbox.log(LOG_BYTES), data, seenVersions(cells)),
    });
    const session = new ModelSession(sandbox, this.material.definition.output);
    const examples = datasets.reduce((sum, { window }) => sum + window.rows.length, 0);

    const cold = await warmUp({ session, instances: sample.warmUp, examples: 0, budget, signal });
    if (cold) return failed(cold);
    await sandbox.contended();
    const latency = await latencyPass({ session, sample: sample.latency, budget, signal });
    if (latency.kind === 'failed') return failed(latency.failure);

    const hardware = await this.parts.driver.hardware({
      limits,
      runtime: this.material.specification.content.runtime,
    });
    const contended = await sandbox.contended();
    const costs = new Costs(sandbox, { latency: latency.percentiles, coldStart, hardware, contended });
    for (const { cell, window } of datasets) {
      const outcome = await offlinePass({
        session,
        windows: timedWindows(window.rows, (OFFLINE_SECONDS * window.rows.length) / examples),
        total: window.rows.length,
        rng: this.rng,
        budget,
        signal,
        tolerance: this.material.specification.content.limits.tolerance,
        earlier: latency.answers.get(cell.id) ?? new Map<number, Answer | null>(),
        store: () => Promise.resolve(),
        onAnswer: both(this.repeats.listener(cell.id), known.listener(cell.id)),
        onProgress: () => undefined,
      });
      if (outcome.kind === 'failed') return failed(outcome.failure);
      await costs.add(outcome);
    }
    return { costs };
  }

  /**
   * Compares the answers with those of another container if no earlier run has. Otherwise returns
   * null: the answers of this run already come from a fresh container, and are compared with the
   * stored ones.
   */
  private async repeatability(specification: SandboxSpecification, budget: TimeBudget) {
    const first = this.repeats.answers;
    if ((this.material.specification.repeatability?.compared ?? 0) > 0 || first.length === 0) return null;
    const { output } = this.material.definition;
    const session = (sandbox: Sandbox) => new ModelSession(sandbox, output);
    return checkRepeatability({
      driver: this.parts.driver,
      specification,
      session,
      first,
      budget,
      signal: this.signal,
    });
  }

  private async datasets(): Promise<MeasuredDataset[]> {
    const { definition } = this.material;
    const { cells } = this.group;
    const total = cells.reduce((sum, cell) => sum + cell.datasetVersion.examples, 0);
    const datasets: MeasuredDataset[] = [];
    for (const cell of cells) {
      const windows = datasetWindows(definition, cell.datasetVersion, this.parts.blobs);
      const rows = await drawRows(windows, MEASURED_ROWS / total, this.rng);
      if (rows.length > 0) datasets.push({ id: cell.id, cell, examples: rows.length, window: { rows } });
    }
    this.repeats = RepeatSample.draw(datasets, this.rng);
    return datasets;
  }
}

type OnAnswer = (row: DatasetRow, answer: Answer | null) => void;

const both =
  (one: OnAnswer, other: OnAnswer): OnAnswer =>
  (row, answer) => {
    one(row, answer);
    other(row, answer);
  };
