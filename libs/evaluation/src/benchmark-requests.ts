import { Model, RunSpecification } from '@assay/submissions';
import { type DatasetVersion, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Evaluation } from './evaluation.js';
import { EvaluationRequests } from './evaluation-requests.js';

/** Event `benchmark.released`: other dataset versions are in force for the task than before. */
export interface BenchmarkReleased {
  readonly taskId: string;
}

export interface ActivationCost {
  /** Cells that have to be filled. */
  readonly evaluations: number;
  /** By the throughput that each model had so far; null where none was measured. */
  readonly estimatedSeconds: number | null;
}

/** Asks for the cells that the models of a task lack since its benchmark version was released. Repeating it changes nothing. */
export async function requestForAllModels(em: EntityManager, { taskId }: BenchmarkReleased): Promise<void> {
  const specifications = await specificationsOf(em, taskId);
  for (const { id } of specifications) {
    await em.fork().transactional(async (tx) => {
      const task = await tx.findOneOrFail(Task, taskId);
      const specification = await tx.findOneOrFail(RunSpecification, id, { populate: ['artifact'] });
      await new EvaluationRequests().requestMissing(tx, task, specification);
    });
  }
}

/** What activating `versions` would have to evaluate, for the models of the task that are in play. */
export async function activationCost(
  em: EntityManager,
  task: Task,
  versions: readonly DatasetVersion[],
): Promise<ActivationCost> {
  const specifications = await specificationsOf(em, task.id);
  const ids = specifications.map(({ id }) => id);
  const present = await em.find(Evaluation, { specification: { $in: ids }, measures: { $ne: null } });
  const done = new Set(
    (await em.find(Evaluation, { specification: { $in: ids }, datasetVersion: { $in: [...versions] } })).map(
      (cell) => `${cell.specification.id} ${cell.datasetVersion.id}`,
    ),
  );
  let evaluations = 0;
  let seconds: number | null = 0;
  for (const { id } of specifications) {
    const speed = present.find((cell) => cell.specification.id === id)?.measures?.throughput ?? null;
    for (const version of versions) {
      if (done.has(`${id} ${version.id}`)) continue;
      evaluations++;
      seconds = seconds === null || speed === null ? null : seconds + version.examples / speed;
    }
  }
  return { evaluations, estimatedSeconds: seconds };
}

async function specificationsOf(em: EntityManager, task: string): Promise<readonly { readonly id: string }[]> {
  const models = await em.find(
    Model,
    { task, withdrawn: false, specification: { $ne: null }, state: { $ne: 'cancelled' } },
    { orderBy: { acceptedAt: 'asc' } },
  );
  return [...new Map(models.map(({ specification }) => [specification!.id, { id: specification!.id }])).values()];
}
