import type { LatencyFloor, Repeatability } from '@assay/contracts/metrics';
import { type Evaluation } from '@assay/evaluation/evaluations';
import { failEvaluation, failRun, finishRun, postponeRun, type RunLog } from '@assay/evaluation/outcomes';
import { type RunLease } from '@assay/evaluation/runs';
import { seededRng, type Rng } from '@assay/kernel';
import type { AdmittedImage } from '@assay/submissions/artifacts';
import { failpoint } from '@assay/observability';
import { dataGroups, timedCells, type DataGroup } from './data/data-groups.js';
import { inTurn } from './hidden-turn.js';
import { sandboxSpecification } from './session/model-sandbox.js';
import { RepeatSample } from './repeat/repeat-sample.js';
import type { RunMaterial } from '@assay/evaluation/execution';
import {
  cellWindows,
  SandboxSession,
  type SandboxRunParts,
  type SessionContext,
  type SessionEnd,
  type SessionPlan,
} from './session/sandbox-session.js';
import { QuietWindow } from './latency/quiet-window.js';
import { TimeBudget } from './session/time-budget.js';
import { timedSample, type SampledDataset } from './latency/timed-sample.js';
import { unreadableDataset } from '@assay/evaluation/scoring';

/** A group without its unreadable datasets, with the rows that samples are drawn from. */
interface ReadGroup extends DataGroup {
  readonly datasets: readonly SampledDataset[];
}

/**
 * Computes all missing evaluations of a specification in at most two sessions: one for readable
 * data, then one for hidden data. Measures the floor of the latencies afterwards, when the scores
 * are committed. Failures of the model are recorded; errors of the platform are thrown.
 */
export class SandboxRun {
  private readonly rng: Rng;
  private readonly still: QuietWindow;

  constructor(
    private readonly parts: SandboxRunParts,
    private readonly lease: RunLease,
    private readonly material: RunMaterial,
    /** Aborted when the lease is lost or the evaluator shuts down. */
    private readonly signal: AbortSignal,
  ) {
    // the order of the examples differs each time that the run is leased
    this.rng = seededRng(`${lease.runId}/${lease.fence}`);
    this.still = new QuietWindow(material.definition, signal, parts.locks);
  }

  async fill(image: AdmittedImage): Promise<void> {
    const { artifact, specification } = this.material;
    const digest = await this.parts.images.install(artifact, image, this.signal);
    failpoint('after-install', this.lease.runId);
    // datasets are read before the model starts: an unreadable dataset is not the model's fault
    const plans = this.plan(await this.readGroups());
    if (plans.length === 0) {
      await finishRun(this.lease, { measures: null });
      return;
    }
    const { evaluationSeconds, requestSeconds } = specification.content.limits;
    const quiet = await this.parts.locks.measuring(this.signal, this.lease.seconds);
    try {
      const turn = { ...this.parts, owners: this.material.owners, signal: this.signal };
      const data = plans.map((plan) => plan.data);
      const isDone = await inTurn(data, turn, async () => {
        const budget = new TimeBudget(evaluationSeconds, requestSeconds);
        await this.fillAll(plans, { ...this.shared(), installed: { digest, image }, budget });
      });
      if (!isDone) await postponeRun(this.lease);
    } finally {
      await quiet.release();
    }
  }

  private async fillAll(plans: readonly SessionPlan[], context: SessionContext): Promise<void> {
    const { lease } = this;
    const ended: SessionEnd[] = [];
    for (const plan of plans) {
      const end = await new SandboxSession(context, plan, ended.at(-1)?.measures ?? null).fill();
      ended.push(end);
      if (end.failure) return failRun(lease, end.failure, logOf(ended));
    }
    const measures = ended.at(-1)!.measures;
    const floor = measures ? await this.floor(plans, context) : null;
    const repeatability = sumOf(ended.flatMap((each) => each.repeatability ?? []));
    failpoint('before-finish', lease.runId);
    await finishRun(lease, {
      measures: measures && { ...measures, floor },
      log: logOf(ended),
      retakes: this.parts.retakes,
      ...(repeatability && { repeatability }),
    });
    failpoint('after-commit', lease.runId);
  }

  /** Measures the floor of the latencies, with the same inputs as the latencies. */
  private floor(plans: readonly SessionPlan[], context: SessionContext): Promise<LatencyFloor | null> {
    const plan = plans.find(({ isMeasured }) => isMeasured)!;
    const like = sandboxSpecification(this.lease, this.material, context.installed, plan.data);
    const instances = plan.sample.latency.map(({ row }) => row.instance);
    const request = { like, instances, task: this.lease.scope.task, signal: this.signal };
    return this.still.during(context.budget, () => this.parts.floors.floor(request));
  }

  private plan(groups: readonly ReadGroup[]): SessionPlan[] {
    const timed = timedCells(groups.flatMap(({ cells }) => cells));
    const timedIds = new Set(timed.cells.map(({ id }) => id));
    // a run on perturbed versions only has no costs, but its answers to single requests are
    // compared as well
    const measured = timedIds.size > 0 ? timed.data : groups[0]?.data;
    return groups.map(({ data, cells, datasets }, place) => {
      const sampled = datasets.filter(({ id }) => timedIds.has(id));
      return {
        data,
        cells,
        sample: timedSample(sampled.length > 0 ? sampled : datasets, this.rng),
        repeats: RepeatSample.draw(datasets, this.rng),
        isMeasured: data === measured,
        timed: timedIds,
        examples: groups
          .slice(place)
          .flatMap((group) => group.datasets)
          .reduce((sum, { examples }) => sum + examples, 0),
      };
    });
  }

  private async readGroups(): Promise<ReadGroup[]> {
    const groups: ReadGroup[] = [];
    for (const { data, cells } of dataGroups(this.material.cells)) {
      const read: Evaluation[] = [];
      const datasets: SampledDataset[] = [];
      for (const cell of cells) {
        const dataset = await this.sampled(cell);
        if (!dataset) continue;
        read.push(cell);
        datasets.push(dataset);
      }
      if (datasets.length > 0) groups.push({ data, cells: read, datasets });
    }
    return groups;
  }

  /** Returns null if the dataset is unreadable or has no rows. */
  private async sampled(cell: Evaluation): Promise<SampledDataset | null> {
    try {
      for await (const window of cellWindows(this.shared(), cell)) {
        return { id: cell.id, examples: cell.datasetVersion.examples, window };
      }
    } catch (error) {
      const unreadable = unreadableDataset(error, cell.datasetVersion.dataset);
      if (!unreadable) throw error;
      await failEvaluation(this.lease, cell.id, unreadable);
    }
    return null;
  }

  private shared(): Omit<SessionContext, 'installed' | 'budget'> {
    const { parts, lease, material, still, rng, signal } = this;
    return { parts, lease, material, still, rng, signal };
  }
}

/**
 * Returns the log of the session with readable data, and the length of the log with hidden data.
 */
function logOf(ended: readonly SessionEnd[]): RunLog {
  const logs = ended.map(({ log }) => log);
  const shown = logs.find(({ log }) => log !== null);
  const withheldBytes = logs.find((each) => each.withheldBytes !== null)?.withheldBytes ?? null;
  return { log: shown?.log ?? null, logSeen: shown?.logSeen ?? [], withheldBytes };
}

function sumOf(all: readonly Repeatability[]): Repeatability | null {
  if (all.length === 0) return null;
  const why = all.find((each) => each.why !== undefined)?.why;
  return {
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    different: all.reduce((sum, { different }) => sum + different, 0),
    ...(why !== undefined && { why }),
  };
}
