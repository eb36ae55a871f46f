import type { EventMap } from '@assay/contracts/webhooks';
import { inTransaction } from '@assay/persistence/queries';
import { RunSpecification, RunSpecificationRepository } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { markBoardStale } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { EvaluationRequests } from './evaluation-requests.js';

/**
 * Requests the missing cells of all models of a task after a new benchmark version was released,
 * then marks the board as stale. Idempotent.
 * @param milliseconds the time after which the rest is left for a later call, as there may be
 * thousands of models
 * @returns the event for the remaining models; null if none remain
 */
export async function requestForAllModels(
  em: EntityManager,
  { taskId, behind }: EventMap['benchmark.released'],
  milliseconds = Infinity,
): Promise<EventMap['benchmark.released'] | null> {
  const late = performance.now() + milliseconds;
  const ids = (await new RunSpecificationRepository(em).ofTask(taskId)).filter(
    (id) => behind === undefined || id > behind,
  );
  for (const [place, id] of ids.entries()) {
    await inTransaction(em, async (tx) => {
      const task = await tx.findOneOrFail(Task, taskId);
      const specification = await tx.findOneOrFail(RunSpecification, id, { populate: ['artifact'] });
      await new EvaluationRequests().requestReleased(tx, task, specification);
    });
    if (performance.now() > late && place < ids.length - 1) return { taskId, behind: id };
  }
  const own = em.fork();
  markBoardStale(own, taskId);
  await own.flush();
  return null;
}
