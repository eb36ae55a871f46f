import { enqueueUnlessLive, type Jobs } from '@assay/jobs';
import { mapValues } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { RunSpecificationRepository } from '@assay/submissions';
import { roundedEstimate } from '@assay/scoring/disclosure';
import { roundsScores, Task } from '@assay/tasks';
import { markBoardStale } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { namedExamples } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions } from './active-datasets.js';
import { type ComputedScore, EvaluationRepository, type ExpectedKey } from './evaluation.repository.js';
import { Evaluation, OPEN_EVALUATION_STATES } from './evaluation.js';
import { type ModelEventMessage, notifyModels } from '../model-events.js';
import { settleModels } from '../outcomes/model-states.js';
import { scoringKey, type ScoredDefinition } from '../runs/scoring-key.js';

/**
 * Enqueues the job that rescores a task. At most one is live for each task.
 * @returns false if one is live already
 */
export const enqueueScores = (jobs: Pick<Jobs, 'enqueue' | 'isLive'>, taskId: string): Promise<boolean> =>
  enqueueUnlessLive(jobs, 'score', { taskId }, { jobId: `score-${taskId}` });

/**
 * Returns whether a scored evaluation is waiting to be rescored: it has predictions, and its
 * scoring key is none of `keys`.
 */
export const awaitsScores = (
  evaluation: Pick<Evaluation, 'state' | 'predictions' | 'scoringKey'>,
  keys: readonly string[],
): boolean =>
  evaluation.state === 'scored' && Boolean(evaluation.predictions) && !keys.includes(evaluation.scoringKey ?? '');

/**
 * Returns the IDs of the stale evaluations on the task's active datasets; those of perturbed
 * versions come last.
 */
export async function staleEvaluations(em: EntityManager, task: Task): Promise<readonly string[]> {
  return new EvaluationRepository(em).stale(await expectedKeys(em, task));
}

/**
 * Returns a stale evaluation with its dataset and specification, but without its figures. Null if
 * it is no longer stale: it has no predictions, or was scored in the meantime.
 */
export async function staleEvaluation(
  em: EntityManager,
  { definition }: Pick<Task, 'definition'>,
  id: string,
): Promise<Evaluation | null> {
  const cell = (await em.findOne(
    Evaluation,
    { id, predictions: { $ne: null }, state: { $in: [...OPEN_EVALUATION_STATES, 'scored'] } },
    {
      populate: ['datasetVersion.dataset', 'specification'],
      exclude: ['metrics', 'measures', 'slices', 'sliceSpreads', 'calibration', 'perturbed'],
    },
  )) as Evaluation | null;
  if (!cell) return null;
  const isStale = cell.state !== 'scored' || awaitsScores(cell, [scoringKey(definition, cell.datasetVersion)]);
  return isStale ? cell : null;
}

/** Returns the number of evaluations on the active datasets that are stale under `definition`. */
export async function countStale(em: EntityManager, task: Task, definition: ScoredDefinition): Promise<number> {
  return (await new EvaluationRepository(em).stale(await expectedKeys(em, task, definition))).length;
}

/** Returns the IDs of the tasks with stale evaluations. */
export async function tasksWithStaleScores(em: EntityManager): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const task of await em.find(Task, {})) {
    const [some] = await new EvaluationRepository(em).stale(await expectedKeys(em, task), 1);
    if (some !== undefined) stale.push(task.id);
  }
  return stale;
}

/**
 * Writes scores that were computed from stored predictions. A cell that changed since it was read
 * is left unchanged.
 * @returns whether the scores were written
 */
export async function recordScore(
  em: EntityManager,
  task: Pick<Task, 'id' | 'definition'>,
  evaluation: Evaluation,
  score: ComputedScore,
): Promise<boolean> {
  const scope = { specification: evaluation.specification.id, task: task.id };
  return inTransaction(em, async (tx) => {
    await new RunSpecificationRepository(tx).lock(scope.specification);
    if (!(await new EvaluationRepository(tx).score(evaluation, score))) return false;
    if (evaluation.state !== 'scored') {
      await notifyModels(tx, { ...scope, ...(await scoreEvents(tx, task, evaluation, score)) });
      const { state } = await settleModels(tx, scope);
      if (state === 'scored' || state === 'failed') markBoardStale(tx, task.id);
    }
    return true;
  });
}

/** Returns the event about a score, and what everybody but the owner of the task may see of it. */
async function scoreEvents(
  em: EntityManager,
  task: Pick<Task, 'definition'>,
  { datasetVersion }: Evaluation,
  { metrics }: ComputedScore,
): Promise<Pick<ModelEventMessage, 'event' | 'disclosed'>> {
  const event = { type: 'score', ...namedExamples(datasetVersion.dataset), metrics } as const;
  if (!roundsScores(task, datasetVersion.dataset)) return { event };
  await em.populate(datasetVersion, ['original']);
  const { examples } = datasetVersion.original ?? datasetVersion;
  return { event, disclosed: { ...event, metrics: mapValues(metrics, (each) => roundedEstimate(each, examples)) } };
}

/**
 * Clears predictions whose blob can no longer be read, in this cell and in the other cells of its
 * specification that share the blob. Scored cells keep their scores. Cells that only waited to be
 * scored now need a run, which the caller has to request.
 */
export async function forgetPredictions(em: EntityManager, evaluation: Evaluation): Promise<void> {
  // lock order: the specification comes before its cells
  await new RunSpecificationRepository(em).lock(evaluation.specification.id);
  const { specification, predictions } = evaluation;
  if (predictions) await new EvaluationRepository(em).forgetPredictions(specification.id, predictions);
}

/** Fails an evaluation that cannot be scored from its stored predictions. */
export async function failScore(
  em: EntityManager,
  task: Pick<Task, 'id'>,
  evaluation: Evaluation,
  why: NonNullable<Evaluation['failure']>,
): Promise<void> {
  const scope = { specification: evaluation.specification.id, task: task.id };
  await inTransaction(em, async (tx) => {
    await new RunSpecificationRepository(tx).lock(scope.specification);
    await new EvaluationRepository(tx).failScore(evaluation, why);
    await settleModels(tx, scope);
    markBoardStale(tx, task.id);
  });
}

async function expectedKeys(
  em: EntityManager,
  task: Task,
  definition: ScoredDefinition = task.definition,
): Promise<ExpectedKey[]> {
  const active = await activeDatasetVersions(em, task.id);
  const versions = await em.find(DatasetVersion, { id: { $in: [...active] } });
  return versions.map((version) => ({ version: version.id, key: scoringKey(definition, version) }));
}
