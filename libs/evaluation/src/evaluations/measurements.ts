import type { LatencyFloor, Measures, MeasureSpread } from '@assay/contracts/metrics';
import { DomainError, RefusedForNow } from '@assay/kernel';
import { joinedBins } from '@assay/scoring/costs';
import { medianOf, standardDeviation } from '@assay/scoring/metrics';
import { Model, RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeCells } from './active-datasets.js';
import { EvaluationRepository } from './evaluation.repository.js';
import { MeasurementRepository, type TakenMeasurement } from './measurement.repository.js';
import { ensureRun } from '../runs/run-request.js';
import { QUEUE_SECONDS, RunRepository } from '../runs/run.repository.js';
import { RUN_PRIORITY, type RunScope } from '../runs/run.js';
import { weighsCosts } from './weighs-costs.js';

/** The maximum number of measuring runs for one specification and one task in 24 hours. */
const MEASURES_PER_DAY = 20;
const DAY_SECONDS = 86_400;

/**
 * Updates the costs of the answered cells. The costs of a cell summarise the measurement of the run
 * that filled it and those of all runs that only measured. A run that fills another dataset later
 * does not change them.
 */
export async function settleMeasures(em: EntityManager, scope: RunScope): Promise<void> {
  const taken = await new MeasurementRepository(em).of(scope);
  if (taken.length === 0) return;
  const evaluations = new EvaluationRepository(em);
  const cells = await activeCells(em, scope);
  for (const run of await evaluations.answeringRuns(cells)) {
    // a cell without a run took the predictions of another cell, and its costs with them
    const own = taken.filter((each) => each.purpose === 'measures' || run === null || each.run === run);
    const summary = summarizeMeasures(own);
    if (summary) await evaluations.setMeasures(cells, run, summary);
  }
}

/**
 * Requests the first run that only measures a container or an ONNX bundle, `seconds` from now: the other models
 * of a burst are then answered before it. Nothing changes if such a run is queued or running, has measured, or has
 * failed through the fault of the model, or if no model needs it. Call it after an evaluation has ended.
 */
export async function measureFirst(em: EntityManager, scope: RunScope, seconds: number): Promise<void> {
  if ((await new RunRepository(em).isMeasured(scope)) || !(await isMeasurementNeeded(em, scope))) return;
  const { artifact } = await em.findOneOrFail(RunSpecification, scope.specification, { populate: ['artifact'] });
  if (artifact.kind !== 'predictions' && !artifact.archivedAt) await requestAutomatic(em, scope, seconds);
}

/**
 * Requests another measurement, unless more than `retakes` measurements in a row were contended. It
 * comes after all evaluations, and at the earliest a day after the last run that only measured. Call it
 * after the run has ended.
 */
export async function takeAgain(em: EntityManager, scope: RunScope, retakes: number): Promise<void> {
  const taken = await new MeasurementRepository(em).of(scope);
  const undisturbed = taken.findLastIndex(({ measures }) => !measures.contended);
  if (taken.length - undisturbed - 1 > retakes) return;
  const since = (await new RunRepository(em).secondsSinceMeasured(scope)) ?? Infinity;
  await requestAutomatic(em, scope, Math.max(0, DAY_SECONDS - since));
}

/** Requests a measurement that is taken in `seconds` at the earliest, unless one is queued or running. */
async function requestAutomatic(em: EntityManager, scope: RunScope, seconds: number): Promise<void> {
  const specification = await em.findOneOrFail(RunSpecification, scope.specification);
  const { definition } = await em.findOneOrFail(Task, scope.task);
  const isFirst = !(await new RunRepository(em).isMeasured(scope));
  const start = new Date(Date.now() + seconds * 1000);
  await ensureRun(em, { specification, task: scope.task }, 'evaluation', {
    priority: isFirst && weighsCosts(definition) ? RUN_PRIORITY.automaticWeighed : RUN_PRIORITY.automatic,
    notBefore: seconds > 0 ? start : null,
    deadline: new Date(start.getTime() + QUEUE_SECONDS * 1000),
  });
}

/**
 * Requests another measurement of the costs of `model`. If one is already queued or running,
 * nothing changes. Requires the lock of the specification.
 * @returns the ID of the run
 * @throws DomainError `not_scored`, `nothing_to_measure`, `artifact_archived`
 * @throws RefusedForNow `too_many_measurements`
 */
export async function requestMeasures(em: EntityManager, model: Model): Promise<string> {
  const { specification, task } = model;
  if (!specification || model.state !== 'scored') {
    throw new DomainError('conflict', 'not_scored', 'Only a scored model can be measured again.');
  }
  const { artifact } = await em.populate(specification, ['artifact'], { refresh: true });
  if (artifact.kind === 'predictions') {
    throw new DomainError(
      'conflict',
      'nothing_to_measure',
      'A predictions file does not run, so it has no costs to measure.',
    );
  }
  if (artifact.archivedAt) {
    const text = 'The artifact of this model is archived, so it cannot run. Upload it again.';
    throw new DomainError('conflict', 'artifact_archived', text);
  }
  const scope = { specification: specification.id, task: task.id };
  const runs = new RunRepository(em);
  const seconds =
    (await runs.live(scope, 'measures')) === null
      ? await runs.secondsUntilMeasurable(scope, MEASURES_PER_DAY, DAY_SECONDS)
      : null;
  if (seconds !== null) {
    const text = `This model was measured ${MEASURES_PER_DAY} times in 24 hours, the limit. Try again in ${seconds} s.`;
    throw new RefusedForNow('too_many_measurements', text, seconds);
  }
  const priority = weighsCosts(task.definition) ? RUN_PRIORITY.requestedWeighed : RUN_PRIORITY.requested;
  const run = await ensureRun(em, { specification, task: task.id }, 'evaluation', { priority });
  await runs.expedite(run, priority);
  return run;
}

/**
 * Cancels the run that repeats the measurement of `model`, unless another model needs it. Requires
 * the lock of the specification.
 * @returns whether a run was cancelled
 */
export async function endMeasures(em: EntityManager, model: Model): Promise<boolean> {
  if (!model.specification) return false;
  const scope = { specification: model.specification.id, task: model.task.id };
  const runs = new RunRepository(em);
  const run = (await isMeasurementNeeded(em, scope, model)) ? null : await runs.live(scope, 'measures');
  if (!run) return false;
  await runs.cancel(run.id);
  return true;
}

/** Returns whether any model of the scope, other than `except`, has costs to show: it is not withdrawn, cancelled or failed. */
export async function isMeasurementNeeded(em: EntityManager, scope: RunScope, except?: Model): Promise<boolean> {
  const models = await em.count(Model, {
    ...scope,
    ...(except && { id: { $ne: except.id } }),
    withdrawn: false,
    state: { $nin: ['cancelled', 'failed'] },
  });
  return models > 0;
}

type Figure = Exclude<keyof MeasureSpread, symbol>;

const FIGURES: readonly Figure[] = [
  'cpu_time',
  'throughput',
  'latency_p50',
  'latency_p90',
  'latency_p95',
  'latency_p99',
  'memory',
];

/**
 * Summarises several measurements of one model. Each figure is the median over the uncontended
 * measurements on the hardware class of the newest one of these. Of wall times, only those of runs that
 * only measured count, if there are such: they ask no input twice, so a cache of answers gains nothing. If
 * all were contended, the least disturbed one counts alone, marked as contended. For CPU time see
 * `cpuTimeOf`.
 * @param taken oldest first
 * @returns null if there are no measurements
 */
export function summarizeMeasures(taken: readonly Pick<TakenMeasurement, 'purpose' | 'measures'>[]): Measures | null {
  const newest = (taken.findLast(({ measures }) => !measures.contended) ?? taken.at(-1))?.measures;
  if (!newest) return null;

  const alike = taken.filter(({ measures }) => measures.hardware === newest.hardware);
  const equal = alike.filter(({ measures }) => measures.contended === newest.contended);
  const measuring = equal.filter(({ purpose }) => purpose === 'measures');
  const all = countedOf(equal);
  const timed = measuring.length > 0 ? countedOf(measuring) : all;
  const medianIn = (measured: readonly Measures[], name: Figure | 'memory_cgroup' | 'cold_start') =>
    medianOf(present(measured, (each) => each[name]));
  const throughputSpread = medianOf(present(timed, (each) => each.throughput_spread));
  const bins = joinedBins(timed.flatMap(({ latency_bins }) => (latency_bins ? [latency_bins] : [])));
  return {
    cpu_time: cpuTimeOf(alike),
    throughput: medianIn(timed, 'throughput'),
    ...latenciesOf(timed),
    ...(bins.length > 0 && { latency_bins: bins }),
    ...(throughputSpread !== null && { throughput_spread: throughputSpread }),
    memory: medianIn(all, 'memory'),
    memory_cgroup: medianIn(all, 'memory_cgroup'),
    cold_start: medianIn(all, 'cold_start'),
    contended: newest.contended,
    ...(timed.some(({ short }) => short) && { short: true }),
    ...(measuring.length === 0 && { provisional: true }),
    hardware: newest.hardware,
    floor: floorOf(latencyMeasurements(timed)),
    repeats: timed.length,
    spread: timed.length < 2 ? null : spreadOf(timed),
  };
}

/**
 * Returns the measurements whose latencies count. Earlier measurements have the plain percentiles of their
 * requests, which are other figures: they count only if there are no measurements with intervals.
 */
function latencyMeasurements(timed: readonly Measures[]): readonly Measures[] {
  const bounded = timed.filter(({ latency_low }) => latency_low);
  return bounded.length > 0 ? bounded : timed;
}

/** Returns the median latencies and the medians of the lower ends of their intervals. */
function latenciesOf(timed: readonly Measures[]) {
  const counted = latencyMeasurements(timed);
  const median = (name: keyof NonNullable<Measures['latency_low']>) => medianOf(present(counted, (each) => each[name]));
  const low = (name: keyof NonNullable<Measures['latency_low']>) =>
    medianOf(present(counted, (each) => each.latency_low?.[name]));
  return {
    latency_p50: median('latency_p50'),
    latency_p90: median('latency_p90'),
    latency_p95: median('latency_p95'),
    latency_p99: median('latency_p99'),
    ...(counted.some(({ latency_low }) => latency_low) && {
      latency_low: {
        latency_p50: low('latency_p50'),
        latency_p90: low('latency_p90'),
        latency_p95: low('latency_p95'),
        latency_p99: low('latency_p99'),
      },
    }),
    latency_count: Math.min(...counted.map((each) => each.latency_count)),
  };
}

/**
 * Returns the measurements that count among those that were all contended or all uncontended: of contended
 * ones that with the highest throughput, because contention can only lower it.
 */
function countedOf(equal: readonly Pick<TakenMeasurement, 'measures'>[]): readonly Measures[] {
  const measurements = equal.map(({ measures }) => measures);
  return measurements[0]?.contended
    ? [measurements.reduce((best, each) => ((each.throughput ?? 0) > (best.throughput ?? 0) ? each : best))]
    : measurements;
}

/**
 * Returns the median CPU time of the runs that answered, contended or not. Their offline pass asks for
 * each example once, and for nothing else. Runs that only measured count if no other run has the figure.
 */
function cpuTimeOf(taken: readonly Pick<TakenMeasurement, 'purpose' | 'measures'>[]): number | null {
  const cpuTimes = (all: typeof taken) => present(all, ({ measures }) => measures.cpu_time);
  return medianOf(cpuTimes(taken.filter(({ purpose }) => purpose !== 'measures'))) ?? medianOf(cpuTimes(taken));
}

function floorOf(measurements: readonly Measures[]): LatencyFloor | null {
  const floors = measurements.flatMap(({ floor }) => floor ?? []);
  if (floors.length === 0) return null;
  const median = (name: Exclude<keyof LatencyFloor, 'count' | 'bins'>) =>
    medianOf(present(floors, (each) => each[name]));
  const bins = joinedBins(floors.flatMap((each) => (each.bins ? [each.bins] : [])));
  return {
    latency_p50: median('latency_p50'),
    latency_p90: median('latency_p90'),
    latency_p95: median('latency_p95'),
    latency_p99: median('latency_p99'),
    count: Math.min(...floors.map(({ count }) => count)),
    ...(bins.length > 0 && { bins }),
  };
}

function spreadOf(measurements: readonly Measures[]): MeasureSpread {
  const latencies = latencyMeasurements(measurements);
  return Object.fromEntries(
    FIGURES.map((name) => {
      const measured = name.startsWith('latency_') ? latencies : measurements;
      return [name, standardDeviation(present(measured, (each) => each[name]))];
    }),
  ) as MeasureSpread;
}

const present = <T>(all: readonly T[], figure: (each: T) => number | null | undefined): number[] =>
  all.flatMap((each) => figure(each) ?? []);
