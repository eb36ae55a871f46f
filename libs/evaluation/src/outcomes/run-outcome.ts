import { type Measures, type Repeatability } from '@assay/contracts/metrics';
import { failure, type Failure } from '@assay/contracts/models';
import { Outbox } from '@assay/persistence/outbox';
import { RunSpecification } from '@assay/submissions';
import { type AdmittedImage, ArtifactRepository } from '@assay/submissions/artifacts';
import { markBoardStale } from '@assay/tasks/benchmarks';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { activeCells } from '../evaluations/active-datasets.js';
import { EvaluationRepository, type StoredAnswers } from '../evaluations/evaluation.repository.js';
import { Evaluation, OPEN_EVALUATION_STATES } from '../evaluations/evaluation.js';
import { MeasurementRepository } from '../evaluations/measurement.repository.js';
import { measureFirst, settleMeasures, takeAgain } from '../evaluations/measurements.js';
import type { RunClaim } from '../runs/run-lease.js';
import { type Requeued, type RunEnd, type RunLog, RunRepository } from '../runs/run.repository.js';
import { type Answered, originalAnswers, type Unanswered } from '../scoring/original-answers.js';

/**
 * Milliseconds before the second and the third attempt. The cause of the first failure, such as an
 * engine that is shutting down, would make an immediate retry fail too.
 */
const RETRY_DELAYS = [5_000, 20_000] as const;
/** Milliseconds after which a run that cannot run now is tried again. */
const POSTPONED_MILLISECONDS = 15_000;
/** The number of platform failures after which a stage of a run fails for good. */
export const LARGEST_ATTEMPTS = RETRY_DELAYS.length + 1;

const NO_LOG: RunLog = { log: null, logSeen: [], withheldBytes: null };

/**
 * Returns the cells that the run has to fill, with their datasets: originals before perturbed
 * versions, each in the order of the dataset names.
 */
export async function missingEvaluations(em: EntityManager, lease: RunClaim): Promise<Evaluation[]> {
  const { specification, versions } = await activeCells(em, lease.scope);
  return sortedCells(em, {
    specification,
    datasetVersion: { $in: [...versions] },
    state: { $in: OPEN_EVALUATION_STATES },
    // cells with predictions only wait to be scored
    predictions: null,
  });
}

/**
 * Returns the cells that a measuring run measures: the answered cells on original datasets, in the
 * order of the dataset names.
 */
export async function answeredEvaluations(em: EntityManager, lease: RunClaim): Promise<Evaluation[]> {
  const { specification, versions } = await activeCells(em, lease.scope);
  const datasetVersion = { id: { $in: [...versions] }, original: null };
  const isAnswered = [
    { state: 'scored' as const },
    { state: { $in: OPEN_EVALUATION_STATES }, predictions: { $ne: null } },
  ];
  return sortedCells(em, { specification, datasetVersion, $or: isAnswered });
}

async function sortedCells(em: EntityManager, where: FilterQuery<Evaluation>): Promise<Evaluation[]> {
  const cells = await em.find(Evaluation, where, { populate: ['datasetVersion.dataset'] });
  return cells.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

const orderOf = ({ datasetVersion: { dataset } }: Evaluation): string =>
  `${dataset.perturbation ? 1 : 0} ${dataset.name}`;

/** Records that the run has started: its models become `running`. */
export async function recordStart(lease: RunClaim): Promise<void> {
  await lease.write(() => Promise.resolve());
}

/**
 * Records that the artifact may run, and requeues the run for its evaluations.
 * @param image null for a predictions file
 * @param expect runs in the same transaction, and throws if the admission must not be recorded
 */
export async function recordAdmission(
  lease: RunClaim,
  image: AdmittedImage | null,
  expect: (em: EntityManager) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await lease.write(async (em) => {
    await expect(em);
    await new ArtifactRepository(em).admit(lease.scope.specification, image);
    await requeue(em, lease, { stage: 'evaluation', attempts: 0 });
  });
}

/** Records that the artifact was refused, and fails the run and the cells that wait for it. */
export async function recordRefusal(lease: RunClaim, refusal: Failure): Promise<void> {
  await lease.write(async (em) => {
    await new ArtifactRepository(em).refuse(lease.scope.specification, refusal);
    await failRest(em, lease, refusal);
    await end(em, lease, { state: 'failed', failure: refusal });
  });
}

/** Fails the run and, unless it only measures, all cells that it has not filled. */
export async function failRun(lease: RunClaim, why: Failure, log: RunLog = NO_LOG): Promise<void> {
  await lease.write(async (em) => {
    if (lease.purpose === 'evaluation') await failRest(em, lease, why);
    await end(em, lease, { state: 'failed', failure: why, ...log });
  });
}

/**
 * Records that a run begins an evaluation. The evaluation of a perturbed version fails instead if
 * the model has not answered the originals.
 * @returns whether the model is to be asked
 */
export async function startEvaluation(lease: RunClaim, evaluation: string): Promise<boolean> {
  return lease.write(async (em) => {
    const cell = await em.findOneOrFail(Evaluation, evaluation, { populate: ['datasetVersion.dataset'] });
    const original = await originalAnswers(em, cell);
    const repository = new EvaluationRepository(em);
    const own = { evaluation, run: lease.runId };
    if (original?.kind === 'missing') await repository.end(own, 'failed', original.failure);
    else await repository.start(own);
    return original?.kind !== 'missing';
  });
}

/**
 * Records the answers to the dataset of an evaluation, which the worker then scores. A cell is
 * answered once: a cell that has answers or has ended is not changed.
 */
export async function recordAnswers(lease: RunClaim, evaluation: string, answers: StoredAnswers): Promise<void> {
  await lease.write(async (em) => {
    const cell = await em.findOneOrFail(Evaluation, evaluation, { populate: ['datasetVersion.dataset'] });
    const seen = withOriginal(answers.seen, await originalAnswers(em, cell));
    if (!(await new EvaluationRepository(em).answer({ evaluation, run: lease.runId }, { ...answers, seen }))) return;
    // stored with all answers: the measurement then survives if the run is interrupted after its
    // last answers
    if (answers.measures) await new MeasurementRepository(em).store(lease, answers.measures);
    Outbox.add(em, 'answers.stored', { taskId: lease.scope.task, evaluationId: evaluation });
  });
}

/**
 * Returns the dataset versions that scores may reveal: for variants also those seen before the
 * answers to their originals.
 */
function withOriginal(
  seen: readonly string[] | null,
  original: Answered | Unanswered | null,
): readonly string[] | null {
  if (original?.kind !== 'answered') return seen;
  return seen && original.seen && [...new Set([...seen, ...original.seen])].sort();
}

export async function failEvaluation(lease: RunClaim, evaluation: string, why: Failure): Promise<void> {
  await lease.write((em) => new EvaluationRepository(em).end({ evaluation, run: lease.runId }, 'failed', why));
}

/**
 * Cancels a cell that the artifact has no answers for and need not have: a predictions file may
 * skip a dataset.
 */
export async function leaveOut(lease: RunClaim, evaluation: string, why: Failure): Promise<void> {
  await lease.write(async (em) => {
    await new EvaluationRepository(em).end({ evaluation, run: lease.runId }, 'cancelled', why);
    Outbox.add(em, 'predictions.awaited', { taskId: lease.scope.task, evaluationId: evaluation });
  });
}

/** The result of a run, apart from its scores. */
export interface RunResult {
  readonly measures: Measures | null;
  /** Absent if nothing ran. */
  readonly log?: RunLog;
  /** Absent if the run did not compare repeated answers. */
  readonly repeatability?: Repeatability;
  /** How many contended measurements in a row lead to another measurement (default: 0). */
  readonly retakes?: number;
}

/**
 * Ends the run: stores its measurement and updates the costs of the cells. If cells were added in
 * the meantime, the run is requeued instead.
 * @param measureAfterSeconds seconds after an evaluation in which the model is measured for the first time; absent:
 * only if a user requests it
 * @returns whether the run is done
 */
export async function finishRun(lease: RunClaim, result: RunResult, measureAfterSeconds?: number): Promise<boolean> {
  return lease.write(async (em) => {
    const { measures, log = NO_LOG, repeatability, retakes = 0 } = result;
    if (measures) await new MeasurementRepository(em).store(lease, measures);
    if (repeatability) await addRepeatability(em, lease, repeatability);
    await settleMeasures(em, lease.scope);
    const added = lease.purpose === 'evaluation' ? await missingEvaluations(em, lease) : [];
    if (added.length > 0) {
      await requeue(em, lease, { stage: lease.stage, attempts: 0 });
      return false;
    }
    await end(em, lease, { state: 'done', failure: null, ...log });
    if (lease.purpose === 'evaluation' && measureAfterSeconds !== undefined) {
      await measureFirst(em, lease.scope, measureAfterSeconds);
    }
    if (measures?.contended) await takeAgain(em, lease.scope, retakes);
    return true;
  });
}

/** Cancels a run that is no longer needed. This is nobody's fault. */
export async function abandonRun(lease: RunClaim): Promise<void> {
  await lease.write((em) => end(em, lease, { state: 'cancelled', failure: null }));
}

/** Returns the run to the queue without counting an attempt, because it cannot run now. */
export async function postponeRun(lease: RunClaim): Promise<void> {
  const { stage, attempts } = lease;
  await lease.write((em) => wait(em, lease, { stage, attempts, delay: POSTPONED_MILLISECONDS }));
}

/** Does the same, because a live request has interrupted the measurement. */
export async function interruptRun(lease: RunClaim): Promise<void> {
  const { stage, attempts, interruptions } = lease;
  const to = { stage, attempts, interruptions: interruptions + 1, delay: POSTPONED_MILLISECONDS };
  await lease.write((em) => wait(em, lease, to));
}

/**
 * Requeues the run with a delay after a platform failure. After the third failure the run fails,
 * without blaming the model.
 */
export async function retryRun(lease: RunClaim, why: string): Promise<void> {
  const attempts = lease.attempts + 1;
  if (attempts >= LARGEST_ATTEMPTS) return failRun(lease, platformFailure(why));
  const delay = RETRY_DELAYS[attempts - 1];
  await lease.write((em) => requeue(em, lease, { stage: lease.stage, attempts, delay }));
}

/** Requeues the run without counting an attempt, because the worker is shutting down. */
export async function releaseRun(lease: RunClaim): Promise<void> {
  await lease.write((em) => requeue(em, lease, { stage: lease.stage, attempts: lease.attempts }));
}

export const platformFailure = (why: string): Failure =>
  failure(
    'platform_failed',
    `The platform failed ${LARGEST_ATTEMPTS} times while it ran this model. The last error: ${why}`,
  );

async function requeue(em: EntityManager, lease: RunClaim, to: Requeued): Promise<void> {
  await wait(em, lease, to);
  const { runId, fence: attempt, kind } = lease;
  Outbox.add(em, 'run.requested', { runId, stage: to.stage, attempt, delay: to.delay, kind });
}

async function wait(em: EntityManager, lease: RunClaim, to: Requeued): Promise<void> {
  await new RunRepository(em).requeue(lease, to);
  await new EvaluationRepository(em).release(lease.runId);
}

/**
 * Adds the counts of a run to those of its specification. A run that could not compare adds
 * nothing, but stores why.
 */
async function addRepeatability(em: EntityManager, { scope }: RunClaim, found: Repeatability): Promise<void> {
  const specification = await em.findOneOrFail(RunSpecification, scope.specification);
  const { compared = 0, different = 0 } = specification.repeatability ?? {};
  specification.repeatability = {
    compared: compared + found.compared,
    different: different + found.different,
    ...(found.why !== undefined && { why: found.why }),
  };
  await em.flush();
}

async function failRest(em: EntityManager, { runId, scope }: RunClaim, why: Failure): Promise<void> {
  await new EvaluationRepository(em).endMissing(await activeCells(em, scope), {
    state: 'failed',
    failure: why,
    run: runId,
  });
}

async function end(
  em: EntityManager,
  lease: RunClaim,
  ended: Pick<RunEnd, 'state' | 'failure'> & Partial<RunLog>,
): Promise<void> {
  await new RunRepository(em).end(lease, { ...NO_LOG, ...ended });
  markBoardStale(em, lease.scope.task);
}
