import type { LatencyFloor, Repeatability } from '@assay/contracts/metrics';
import { seededRng, type Rng } from '@assay/kernel';
import { failpoint } from '@assay/observability';
import type { AdmittedFacts, AssignedDataset } from '@assay/contracts/gateway';
import { areInputsUnavailable, type LeasedRun, type RunLog } from '../gateway/leased-run.js';
import { dataGroups, timedDatasets, type DataGroup } from './data/data-groups.js';
import { rowWindows } from './data/row-windows.js';
import { inTurn } from './hidden-turn.js';
import { timedSample, type SampledDataset } from './latency/timed-sample.js';
import { RepeatSample } from './repeat/repeat-sample.js';
import { sandboxSpecification } from './session/model-sandbox.js';
import { ProgressReports } from './session/progress-reports.js';
import {
  SandboxSession,
  type SandboxRunParts,
  type SessionContext,
  type SessionEnd,
  type SessionPlan,
} from './session/sandbox-session.js';
import { TimeBudget } from './session/time-budget.js';

/** A group without its unreadable datasets, with the rows that samples are drawn from. */
interface ReadGroup extends DataGroup {
  readonly sampled: readonly SampledDataset[];
}

/**
 * Computes all missing evaluations of a specification in at most two sessions: one for readable
 * data, then one for hidden data. Measures the floor of the latencies afterwards, when the scores
 * are committed. Failures of the model are recorded; errors of the platform are thrown.
 */
export class SandboxRun {
  private readonly rng: Rng;
  private readonly progress: ProgressReports;

  constructor(
    private readonly parts: SandboxRunParts,
    private readonly leased: LeasedRun,
    /** Aborted when the lease is lost or the evaluator shuts down. */
    private readonly signal: AbortSignal,
  ) {
    // the order of the examples differs each time that the run is leased
    const { run, fence } = leased.assignment;
    this.rng = seededRng(`${run}/${fence}`);
    this.progress = new ProgressReports(leased);
  }

  async fill(image: AdmittedFacts): Promise<void> {
    const { leased, signal } = this;
    const { artifact, specification, owners, run } = leased.assignment;
    const digest = await this.parts.images.install(
      {
        ...artifact,
        ...specification,
        source: () => leased.artifact(),
        onRebuilt: (facts) => leased.noteImage?.(facts),
      },
      signal,
    );
    failpoint('after-install', run);
    // datasets are read before the model starts: an unreadable dataset is not the model's fault
    const plans = this.plan(await this.readGroups());
    if (plans.length === 0) {
      await leased.finish({ measures: null });
      return;
    }
    const { evaluationSeconds, requestSeconds } = specification.limits;
    const { locks } = this.parts;
    const data = plans.map((plan) => plan.data);
    const { seconds } = leased;
    const held = await (data.includes('hidden') ? locks.measuring(signal, seconds) : locks.answering(signal, seconds));
    try {
      const turn = { ...this.parts, owners, signal };
      const isDone = await inTurn(data, turn, async () => {
        const budget = new TimeBudget(evaluationSeconds, requestSeconds);
        await this.fillAll(plans, { ...this.shared(), installed: { digest, image }, budget });
      });
      if (!isDone) await leased.postpone();
    } finally {
      await held.release();
    }
  }

  private async fillAll(plans: readonly SessionPlan[], context: SessionContext): Promise<void> {
    const { leased } = this;
    const ended: SessionEnd[] = [];
    for (const plan of plans) {
      const end = await new SandboxSession(context, plan, ended.at(-1)?.measures ?? null).fill();
      ended.push(end);
      if (end.failure) return leased.fail(end.failure, logOf(ended));
    }
    const measures = ended.at(-1)!.measures;
    const floor = measures ? await this.floor(plans, context) : null;
    const repeatability = sumOf(ended.flatMap((each) => each.repeatability ?? []));
    failpoint('before-finish', leased.assignment.run);
    await leased.finish({
      measures: measures && { ...measures, floor },
      log: logOf(ended),
      retakes: this.parts.retakes,
      ...(repeatability && { repeatability }),
    });
    failpoint('after-commit', leased.assignment.run);
  }

  /** Measures the floor of the latencies, with the same inputs as the latencies. */
  private floor(plans: readonly SessionPlan[], context: SessionContext): Promise<LatencyFloor | null> {
    const plan = plans.find(({ isMeasured }) => isMeasured)!;
    const { assignment } = this.leased;
    const like = sandboxSpecification(assignment, context.installed, plan.data);
    const instances = plan.sample.latency.map(({ row }) => row.instance);
    const { task } = assignment;
    return this.parts.floors.floor({ like, instances, task, contended: 'kept', signal: this.signal });
  }

  private plan(groups: readonly ReadGroup[]): SessionPlan[] {
    const timed = timedDatasets(groups.flatMap(({ datasets }) => datasets));
    const timedIds = new Set(timed.datasets.map(({ id }) => id));
    // a run on perturbed versions only has no costs, but its answers to single requests are
    // compared as well
    const measured = timedIds.size > 0 ? timed.data : groups[0]?.data;
    return groups.map(({ data, datasets, sampled }, place) => {
      const timedHere = sampled.filter(({ id }) => timedIds.has(id));
      return {
        data,
        datasets,
        sample: timedSample(timedHere.length > 0 ? timedHere : sampled, this.rng),
        repeats: RepeatSample.draw(sampled, this.rng),
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
    for (const { data, datasets } of dataGroups(this.leased.assignment.datasets)) {
      const read: AssignedDataset[] = [];
      const sampled: SampledDataset[] = [];
      for (const dataset of datasets) {
        const rows = await this.sampled(dataset);
        if (!rows) continue;
        read.push(dataset);
        sampled.push(rows);
      }
      if (sampled.length > 0) groups.push({ data, datasets: read, sampled });
    }
    return groups;
  }

  /** Returns null if the dataset is unreadable or has no rows. */
  private async sampled({ id, examples }: AssignedDataset): Promise<SampledDataset | null> {
    try {
      for await (const window of rowWindows(this.leased.inputs(id))) return { id, examples, window };
    } catch (error) {
      if (!areInputsUnavailable(error)) throw error;
    }
    return null;
  }

  private shared(): Omit<SessionContext, 'installed' | 'budget'> {
    const { parts, leased, progress, rng, signal } = this;
    return { parts, leased, progress, rng, signal };
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
