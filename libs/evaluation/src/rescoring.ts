import type { Jobs } from '@assay/jobs';
import { inTransaction, Outbox } from '@assay/persistence';
import { lockSpecification } from '@assay/submissions';
import { DatasetVersion, markBoardStale, namedExamples, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { Evaluation } from './evaluation.js';
import { notifyModels } from './model-events.js';
import { json, settleModels } from './model-states.js';
import type { ComputedScore } from './run-outcome.js';
import { scoringKey, type ScoredDefinition } from './scoring-key.js';

/**
 * Event `scores.stale`: some scores of the task may have been computed with an earlier definition.
 */
export interface ScoresStale {
  readonly taskId: string;
}

/**
 * SQL condition for a stale evaluation: it has predictions, but no scores for the current
 * definition. It was scored with another definition, or took the predictions of a version with
 * other gold outputs. It needs no run.
 */
const STALE = `cell.predictions is not null and (cell.state = 'queued'
  or (cell.state = 'scored' and cell.scoring_key is distinct from expected.key))`;

export function markScoresStale(em: EntityManager, task: string): void {
  Outbox.add(em, 'scores.stale', { taskId: task } satisfies ScoresStale);
}

/**
 * Enqueues the job that rescores a task. At most one is live for each task.
 * @returns false if one is live already
 */
export async function enqueueScores(jobs: Pick<Jobs, 'enqueue' | 'isLive'>, taskId: string): Promise<boolean> {
  const jobId = `score-${taskId}`;
  if (await jobs.isLive('score', jobId)) return false;
  await jobs.enqueue('score', { taskId }, { jobId });
  return true;
}

/**
 * Returns whether a scored evaluation is waiting to be rescored: it has predictions, and its
 * scoring key is none of `keys`.
 */
export const awaitsScores = (evaluation: Evaluation, keys: readonly string[]): boolean =>
  evaluation.state === 'scored' && Boolean(evaluation.predictions) && !keys.includes(evaluation.scoringKey ?? '');

/**
 * Returns the IDs of the stale evaluations on the task's active datasets; those of perturbed
 * versions come last.
 */
export async function staleEvaluations(em: EntityManager, task: Task): Promise<readonly string[]> {
  return staleIds(em, await expectedKeys(em, task));
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
    { id, predictions: { $ne: null }, state: { $in: ['queued', 'scored'] } },
    {
      populate: ['datasetVersion.dataset', 'specification'],
      exclude: ['metrics', 'measures', 'slices', 'sliceSpreads', 'calibration', 'perturbed'],
    },
  )) as Evaluation | null;
  if (!cell) return null;
  const isStale = cell.state === 'queued' || awaitsScores(cell, [scoringKey(definition, cell.datasetVersion)]);
  return isStale ? cell : null;
}

/** Returns the number of evaluations on the active datasets that are stale under `definition`. */
export async function countStale(em: EntityManager, task: Task, definition: ScoredDefinition): Promise<number> {
  return (await staleIds(em, await expectedKeys(em, task, definition))).length;
}

/** Returns the IDs of the tasks with stale evaluations. */
export async function tasksWithStaleScores(em: EntityManager): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const task of await em.find(Task, {})) {
    const keys = await expectedKeys(em, task);
    if ((await staleIds(em, keys, 1)).length > 0) stale.push(task.id);
  }
  return stale;
}

/**
 * Writes scores that were recomputed from stored predictions. A cell that changed since it was read
 * is left unchanged.
 * @returns whether the scores were written
 */
export async function recordRescore(
  em: EntityManager,
  task: Pick<Task, 'id'>,
  evaluation: Evaluation,
  score: ComputedScore,
): Promise<boolean> {
  const scope = { specification: evaluation.specification.id, task: task.id };
  return inTransaction(em, async (tx) => {
    await lockSpecification(tx, scope.specification);
    const changed = await tx.execute<unknown[]>(
      `update evaluation set state = 'scored', failure = null, metrics = ?::jsonb, slices = ?::jsonb, slice_spreads = ?::jsonb,
         calibration = ?::jsonb, perturbed = ?::jsonb, scoring_key = ?, resamples = ?, finished_at = coalesce(finished_at, now())
        where id = ? and state = ? and predictions = ? and scoring_key is not distinct from ? returning id`,
      [
        json(score.metrics),
        json(score.slices),
        json(score.sliceSpreads),
        json(score.calibration),
        json(score.perturbed),
        score.scoringKey,
        score.resamples,
        evaluation.id,
        evaluation.state,
        evaluation.predictions,
        evaluation.scoringKey ?? null,
      ],
    );
    if (changed.length === 0) return false;
    if (evaluation.state === 'queued') {
      const examples = namedExamples(evaluation.datasetVersion.dataset);
      await notifyModels(tx, { ...scope, event: { type: 'score', ...examples, metrics: score.metrics } });
      await settleModels(tx, scope);
    }
    return true;
  });
}

/**
 * Clears predictions whose blob can no longer be read, in this cell and in the other cells of its
 * specification that share the blob. Scored cells keep their scores. Cells that only waited to be
 * scored now need a run, which the caller has to request.
 */
export async function forgetPredictions(em: EntityManager, evaluation: Evaluation): Promise<void> {
  // lock order: the specification comes before its cells
  await lockSpecification(em, evaluation.specification.id);
  await em.execute('update evaluation set predictions = null where specification_id = ? and predictions = ?', [
    evaluation.specification.id,
    evaluation.predictions,
  ]);
}

/** Fails an evaluation whose dataset can no longer be read, through the fault of the task. */
export async function failRescore(
  em: EntityManager,
  task: Pick<Task, 'id'>,
  evaluation: Evaluation,
  why: NonNullable<Evaluation['failure']>,
): Promise<void> {
  const scope = { specification: evaluation.specification.id, task: task.id };
  await inTransaction(em, async (tx) => {
    await lockSpecification(tx, scope.specification);
    await tx.execute(
      `update evaluation set state = 'failed', failure = ?::jsonb, finished_at = now() where id = ? and state = ?`,
      [json(why), evaluation.id, evaluation.state],
    );
    await settleModels(tx, scope);
    markBoardStale(tx, task.id);
  });
}

interface ExpectedKey {
  readonly version: string;
  readonly key: string;
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

async function staleIds(em: EntityManager, keys: readonly ExpectedKey[], limit?: number): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const rows = await em.execute<{ id: string }[]>(
    `select cell.id from unnest(?::uuid[], ?::text[]) as expected (version, key)
       join evaluation cell on cell.dataset_version_id = expected.version
       join dataset_version version on version.id = expected.version
       join dataset on dataset.id = version.dataset_id
      where ${STALE}
      ${limit === undefined ? 'order by dataset.perturbation is not null, cell.id' : `limit ${limit}`}`,
    [uuidArray(keys.map(({ version }) => version)), `{${keys.map(({ key }) => key).join(',')}}`],
  );
  return rows.map(({ id }) => id);
}
