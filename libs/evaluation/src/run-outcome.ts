import {
  failure,
  type CalibrationResult,
  type Estimate,
  type Failure,
  type Measures,
  type PerturbedResult,
  type Repeatability,
  type SliceResult,
  type SliceSpread,
} from '@assay/contracts';
import { RunSpecification, type AdmittedImage } from '@assay/submissions';
import { markBoardStale, namedExamples, type NamedExamples } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { Evaluation } from './evaluation.js';
import { keepMeasurement, settleMeasures, takeAgain } from './measurements.js';
import { tellModels } from './model-events.js';
import { json } from './model-states.js';
import type { RunLease } from './run-lease.js';
import { QUEUE_SECONDS, ringRun } from './run-request.js';

/**
 * Milliseconds before the second attempt and the third. What made the first fail, such as an engine that is shutting down, would make the others
 * fail too, if they came at once.
 */
const RETRY_DELAYS = [5_000, 20_000] as const;
/** A stage of a run is given up after so many platform faults. */
export const LARGEST_ATTEMPTS = RETRY_DELAYS.length + 1;

/** What is computed from the predictions of one dataset version, and can be computed anew from them. */
export interface ComputedScore {
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly slices: Readonly<Record<string, Readonly<Record<string, SliceResult>>>>;
  /** By slicing field, then by metric. */
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>;
  /** Null where the model gives no probabilities. */
  readonly calibration: CalibrationResult | null;
  /** Null of an original. */
  readonly perturbed: PerturbedResult | null;
  /** What it was computed with. */
  readonly scoringKey: string | null;
  /** Blob of the resampled values of the metrics. */
  readonly resamples: string | null;
}

/** What the examples of one dataset version gave. */
export interface EvaluationScore extends ComputedScore {
  /** Of the run so far; `finishRun` writes those of the whole run. */
  readonly measures: Measures | null;
  /** Bad answers within the tolerance. */
  readonly invalid: number;
  /** Blob of the predictions file. */
  readonly predictions: string | null;
  /** Ids of the dataset versions that the sandbox had seen which gave them; none where no sandbox did. Null: nobody knows. */
  readonly seen: readonly string[] | null;
}

/** The stored part of the logs that the sandboxes of a run wrote. */
export interface RunLog {
  /** Null: there is none. */
  readonly log: string | null;
  /** Ids of the dataset versions that the sandbox had seen which wrote it. */
  readonly logSeen: readonly string[];
  /** Length of the log that is not kept, of the sandbox with hidden data; null: there was none. */
  readonly withheldBytes: number | null;
}

const NO_LOG: RunLog = { log: null, logSeen: [], withheldBytes: null };

/** The cells that the run has to fill, with their datasets, in the order of the datasets' names: originals before perturbed ones. */
export async function missingEvaluations(em: EntityManager, lease: RunLease): Promise<Evaluation[]> {
  const active = await activeDatasetVersions(em, lease.scope.task);
  const cells = await em.find(
    Evaluation,
    {
      specification: lease.scope.specification,
      datasetVersion: { $in: [...active] },
      state: { $in: ['queued', 'running'] },
      // what has its predictions already only waits to be scored
      predictions: null,
    },
    { populate: ['datasetVersion.dataset'] },
  );
  return cells.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** The cells whose costs a run that only measures takes: what is scored of the originals, in the order of the datasets' names. */
export async function scoredEvaluations(em: EntityManager, lease: RunLease): Promise<Evaluation[]> {
  const cells = await em.find(
    Evaluation,
    {
      specification: lease.scope.specification,
      datasetVersion: { id: { $in: [...(await activeDatasetVersions(em, lease.scope.task))] }, original: null },
      state: 'scored',
    },
    { populate: ['datasetVersion.dataset'] },
  );
  return cells.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

const orderOf = ({ datasetVersion: { dataset } }: Evaluation): string =>
  `${dataset.perturbation ? 1 : 0} ${dataset.name}`;

/** Says that the run is at work: its models are `running`. */
export async function recordStart(lease: RunLease): Promise<void> {
  await lease.write(() => Promise.resolve());
}

/**
 * The artifact may be run: the run waits again, for its evaluations.
 * @param image null for a file of predictions
 * @param expect throws in the same transaction where it must not be recorded
 */
export async function recordAdmission(
  lease: RunLease,
  image: AdmittedImage | null,
  expect: (em: EntityManager) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await lease.write(async (em) => {
    await expect(em);
    await em.execute(
      `update artifact set state = 'admitted', failure = null, image = ?::jsonb
        where id = (select artifact_id from run_specification where id = ?)`,
      [json(image), lease.scope.specification],
    );
    await requeue(em, lease, { stage: 'evaluation', attempts: 0 });
  });
}

/** The artifact may not be run, here or anywhere: all that waits for it fails. */
export async function recordRefusal(lease: RunLease, refusal: Failure): Promise<void> {
  await lease.write(async (em) => {
    await em.execute(
      // a task with a larger limit may have admitted it meanwhile
      `update artifact set state = 'refused', failure = ?::jsonb, image = null
        where id = (select artifact_id from run_specification where id = ?) and state <> 'admitted'`,
      [json(refusal), lease.scope.specification],
    );
    await failRest(em, lease, refusal);
    await end(em, lease, { state: 'failed', failure: refusal });
  });
}

/** Nothing that is missing can be had: all of it fails, and the run with it. Of a run that measures the run alone. */
export async function failRun(lease: RunLease, why: Failure, log: RunLog = NO_LOG): Promise<void> {
  await lease.write(async (em) => {
    if (lease.purpose === 'evaluation') await failRest(em, lease, why);
    await end(em, lease, { state: 'failed', failure: why, ...log });
  });
}

export async function startEvaluation(lease: RunLease, evaluation: string): Promise<void> {
  await lease.write(async (em) => {
    await em.execute(`update evaluation set state = 'running', run = ? where id = ? and state = 'queued'`, [
      lease.runId,
      evaluation,
    ]);
  });
}

/** The one result of an evaluation. Never a second one: a cell that is final stays as it is. */
export async function recordScore(lease: RunLease, evaluation: string, score: EvaluationScore): Promise<void> {
  await lease.write(async (em) => {
    const changed = await em.execute<unknown[]>(
      `update evaluation set state = 'scored', failure = null, run = ?, metrics = ?::jsonb, slices = ?::jsonb,
         slice_spreads = ?::jsonb, calibration = ?::jsonb, perturbed = ?::jsonb, scoring_key = ?, resamples = ?,
         measures = ?::jsonb, invalid = ?, predictions = ?, seen = ?::jsonb, finished_at = now()
        where id = ? and state in ('queued', 'running') returning id`,
      [
        lease.runId,
        json(score.metrics),
        json(score.slices),
        json(score.sliceSpreads),
        json(score.calibration),
        json(score.perturbed),
        score.scoringKey,
        score.resamples,
        json(score.measures),
        score.invalid,
        score.predictions,
        json(score.seen),
        evaluation,
      ],
    );
    if (changed.length === 0) return;
    // kept already: a run that is cut off after its last score has measured all the same
    if (score.measures) await keepMeasurement(em, lease, score.measures);
    const examples = await examplesOf(em, evaluation);
    await tellModels(em, { ...lease.scope, event: { type: 'score', ...examples, metrics: score.metrics } });
  });
}

export async function failEvaluation(lease: RunLease, evaluation: string, why: Failure): Promise<void> {
  await lease.write(async (em) => {
    await em.execute(
      `update evaluation set state = 'failed', failure = ?::jsonb, run = ?, finished_at = now()
        where id = ? and state in ('queued', 'running')`,
      [json(why), lease.runId, evaluation],
    );
  });
}

/** A cell that this artifact has no answers for, and need not have. */
export async function leaveOut(lease: RunLease, evaluation: string, why: Failure): Promise<void> {
  await lease.write(async (em) => {
    await em.execute(
      `update evaluation set state = 'cancelled', failure = ?::jsonb, run = ?, finished_at = now()
        where id = ? and state in ('queued', 'running')`,
      [json(why), lease.runId, evaluation],
    );
  });
}

/** What a run came to, beside its scores. */
export interface RunResult {
  readonly measures: Measures | null;
  /** Absent: nothing ran. */
  readonly log?: RunLog;
  /** Absent: it did not ask twice. */
  readonly repeatability?: Repeatability;
  /** How often in a row figures that were taken under contention are taken again (0). */
  readonly retakes?: number;
}

/**
 * The run is done: what it measured is kept, and the cells have their costs by it. Cells that were added meanwhile make it wait again
 * instead. @returns whether it is done
 */
export async function finishRun(lease: RunLease, result: RunResult): Promise<boolean> {
  return lease.write(async (em) => {
    const { measures, log = NO_LOG, repeatability, retakes = 0 } = result;
    if (measures) await keepMeasurement(em, lease, measures);
    if (repeatability) await addRepeatability(em, lease, repeatability);
    await settleMeasures(em, lease.scope);
    const added = lease.purpose === 'evaluation' ? await missingEvaluations(em, lease) : [];
    if (added.length > 0) {
      await requeue(em, lease, { stage: lease.stage, attempts: 0 });
      return false;
    }
    await end(em, lease, { state: 'done', failure: null, ...log });
    if (measures?.contended) await takeAgain(em, lease.scope, retakes);
    return true;
  });
}

/** The run is not wanted any more: nothing of it is left, and nothing is to blame. */
export async function abandonRun(lease: RunLease): Promise<void> {
  await lease.write((em) => end(em, lease, { state: 'cancelled', failure: null }));
}

/** The run waits again, as if it had not been begun, until the reconciler rings for it: now is no time for it. */
export async function postponeRun(lease: RunLease): Promise<void> {
  await lease.write((em) => wait(em, lease, { stage: lease.stage, attempts: lease.attempts }));
}

/** The platform failed, not the model: the run waits a while for another attempt, or fails after the third without blaming the model. */
export async function retryRun(lease: RunLease, why: string): Promise<void> {
  const attempts = lease.attempts + 1;
  if (attempts >= LARGEST_ATTEMPTS) return failRun(lease, platformFailure(why));
  const delay = RETRY_DELAYS[attempts - 1];
  await lease.write((em) => requeue(em, lease, { stage: lease.stage, attempts, delay }));
}

/** The worker has to leave: the run waits as if it had not been begun. */
export async function releaseRun(lease: RunLease): Promise<void> {
  await lease.write((em) => requeue(em, lease, { stage: lease.stage, attempts: lease.attempts }));
}

export const platformFailure = (why: string): Failure =>
  failure(
    'platform_failed',
    `The platform failed ${LARGEST_ATTEMPTS} times while it ran this model. The last time: ${why}`,
  );

interface Waiting {
  readonly stage: RunLease['stage'];
  readonly attempts: number;
  /** Milliseconds until somebody may take it (0). */
  readonly delay?: number | undefined;
}

async function requeue(em: EntityManager, lease: RunLease, to: Waiting): Promise<void> {
  await wait(em, lease, to);
  ringRun(em, { runId: lease.runId, stage: to.stage, attempt: lease.fence, delay: to.delay });
}

async function wait(em: EntityManager, lease: RunLease, to: Waiting): Promise<void> {
  await em.execute(
    `update run set state = 'queued', stage = ?, attempts = ?, lease_until = null, lease_owner = null,
       deadline = now() + make_interval(secs => ?) where id = ? and fence = ?`,
    [to.stage, to.attempts, QUEUE_SECONDS, lease.runId, lease.fence],
  );
  await em.execute(`update evaluation set state = 'queued' where run = ? and state = 'running'`, [lease.runId]);
}

/** The counts of all runs of the specification together; a run that could not compare leaves them, and says why. */
async function addRepeatability(em: EntityManager, { scope }: RunLease, found: Repeatability): Promise<void> {
  const specification = await em.findOneOrFail(RunSpecification, scope.specification);
  const { compared = 0, different = 0 } = specification.repeatability ?? {};
  specification.repeatability = {
    compared: compared + found.compared,
    different: different + found.different,
    ...(found.why !== undefined && { why: found.why }),
  };
  await em.flush();
}

async function failRest(em: EntityManager, { runId, scope }: RunLease, why: Failure): Promise<void> {
  await em.execute(
    `update evaluation set state = 'failed', failure = ?::jsonb, run = ?, finished_at = now()
      where specification_id = ? and dataset_version_id = any(?::uuid[]) and state in ('queued', 'running') and predictions is null`,
    [json(why), runId, scope.specification, uuidArray(await activeDatasetVersions(em, scope.task))],
  );
}

async function end(
  em: EntityManager,
  { runId, fence, scope }: RunLease,
  ended: { readonly state: 'done' | 'failed' | 'cancelled'; readonly failure: Failure | null } & Partial<RunLog>,
): Promise<void> {
  const { state, failure: why, log, logSeen, withheldBytes } = { ...NO_LOG, ...ended };
  await em.execute(
    `update run set state = ?, failure = ?::jsonb, log = ?, log_seen = ?::jsonb, withheld_bytes = ?, lease_until = null,
       lease_owner = null, finished_at = now() where id = ? and fence = ?`,
    [state, json(why), log, json(logSeen), withheldBytes, runId, fence],
  );
  markBoardStale(em, scope.task);
}

async function examplesOf(em: EntityManager, evaluation: string): Promise<NamedExamples> {
  const cell = await em.findOneOrFail(Evaluation, evaluation, { populate: ['datasetVersion.dataset'] });
  return namedExamples(cell.datasetVersion.dataset);
}
