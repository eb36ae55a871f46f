import type { Jobs } from '@assay/jobs';
import { inTransaction, Outbox } from '@assay/persistence';
import { lockSpecification } from '@assay/submissions';
import { DatasetVersion, markBoardStale, namedExamples, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { Evaluation } from './evaluation.js';
import { tellModels } from './model-events.js';
import { json, settleModels } from './model-states.js';
import type { ComputedScore } from './run-outcome.js';
import { scoringKey, type ScoredDefinition } from './scoring-key.js';

/** Event `scores.stale`: evaluations of the task may have scores of another definition than its present one. */
export interface ScoresStale {
  readonly taskId: string;
}

/**
 * An evaluation that has predictions and not the scores that belong to them now: it was scored with another definition, or took the
 * predictions of a version with other gold. Nothing has to run for it.
 */
const STALE = `cell.predictions is not null and (cell.state = 'queued'
  or (cell.state = 'scored' and cell.scoring_key is distinct from expected.key))`;

export function markScoresStale(em: EntityManager, task: string): void {
  Outbox.add(em, 'scores.stale', { taskId: task } satisfies ScoresStale);
}

/** Adds the job that scores a task anew, of which one is live at a time. @returns false where it is live already */
export async function ringForScores(jobs: Pick<Jobs, 'enqueue' | 'isLive'>, taskId: string): Promise<boolean> {
  const jobId = `score-${taskId}`;
  if (await jobs.isLive('score', jobId)) return false;
  await jobs.enqueue('score', { taskId }, { jobId });
  return true;
}

/** Whether a scored evaluation is about to be scored anew: it has predictions, and scores of none of `keys`. */
export const awaitsScores = (evaluation: Evaluation, keys: readonly string[]): boolean =>
  evaluation.state === 'scored' && Boolean(evaluation.predictions) && !keys.includes(evaluation.scoringKey ?? '');

/** Ids of the stale evaluations of the task's active datasets, those of perturbed versions after those of originals. */
export async function staleEvaluations(em: EntityManager, task: Task): Promise<readonly string[]> {
  return staleIds(em, await expectedKeys(em, task));
}

/**
 * A stale evaluation of the task as it is now, with its dataset and without its figures; null where it is stale no more: it has no
 * predictions to be scored, or was scored meanwhile.
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

/** How many evaluations of the active datasets `definition` would make, or has made, stale. */
export async function countStale(em: EntityManager, task: Task, definition: ScoredDefinition): Promise<number> {
  return (await staleIds(em, await expectedKeys(em, task, definition))).length;
}

/** Ids of the tasks with stale evaluations. */
export async function tasksWithStaleScores(em: EntityManager): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const task of await em.find(Task, {})) {
    const keys = await expectedKeys(em, task);
    if ((await staleIds(em, keys, 1)).length > 0) stale.push(task.id);
  }
  return stale;
}

/**
 * Writes scores that were computed anew from `predictions`. A cell that changed since it was read stays as it is.
 * @returns whether it was written
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
      await tellModels(tx, { ...scope, event: { type: 'score', ...examples, metrics: score.metrics } });
      await settleModels(tx, scope);
    }
    return true;
  });
}

/**
 * The stored predictions of a cell, and of others of its specification that have the same, can't be had any more. What was scored stays as it
 * was; what only waited for them waits for a run instead, for which the caller has to ask.
 */
export async function forgetPredictions(em: EntityManager, evaluation: Evaluation): Promise<void> {
  // before any of its cells, as everybody does
  await lockSpecification(em, evaluation.specification.id);
  await em.execute('update evaluation set predictions = null where specification_id = ? and predictions = ?', [
    evaluation.specification.id,
    evaluation.predictions,
  ]);
}

/** The scores that are there are of a dataset that can't be read any more: the task's fault. */
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
