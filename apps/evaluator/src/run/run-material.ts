import type { TaskDefinition } from '@assay/contracts';
import { missingEvaluations, scoredEvaluations, type Evaluation, type RunLease } from '@assay/evaluation';
import { RunSpecification, type Artifact } from '@assay/submissions';
import { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** What a run needs to know, read once after it was claimed. */
export interface RunMaterial {
  readonly specification: RunSpecification;
  readonly artifact: Artifact;
  readonly task: Task;
  readonly definition: TaskDefinition;
  /** The cells to be filled, with their datasets; of a run that only measures those that are scored. */
  readonly cells: readonly Evaluation[];
}

export async function readMaterial(em: EntityManager, lease: RunLease): Promise<RunMaterial> {
  const specification = await em.findOneOrFail(RunSpecification, lease.scope.specification, { populate: ['artifact'] });
  const task = await em.findOneOrFail(Task, lease.scope.task);
  return {
    specification,
    artifact: specification.artifact,
    task,
    definition: task.definition,
    cells: lease.purpose === 'measures' ? await scoredEvaluations(em, lease) : await missingEvaluations(em, lease),
  };
}
