import type { TaskDefinition } from '@assay/contracts';
import { missingEvaluations, scoredEvaluations, type Evaluation, type RunLease } from '@assay/evaluation';
import { ownersOf, RunSpecification, type Artifact } from '@assay/submissions';
import { type Ceilings, clampLimits, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** What a run needs to know, read once after it was claimed. */
export interface RunMaterial {
  /** Its limits are within the ceilings of this host. */
  readonly specification: Pick<RunSpecification, 'id' | 'content' | 'repeatability'>;
  readonly artifact: Artifact;
  /** Ids of the accounts whose model it is. */
  readonly owners: readonly string[];
  readonly task: Task;
  /** Its limits are within the ceilings of this host. */
  readonly definition: TaskDefinition;
  /** The cells to be filled, with their datasets; of a run that only measures those that are scored. */
  readonly cells: readonly Evaluation[];
}

/** @param ceilings of this host; without any the limits stay as the task sets them */
export async function readMaterial(em: EntityManager, lease: RunLease, ceilings?: Ceilings): Promise<RunMaterial> {
  const specification = await em.findOneOrFail(RunSpecification, lease.scope.specification, { populate: ['artifact'] });
  const task = await em.findOneOrFail(Task, lease.scope.task);
  const { id, content, repeatability } = specification;
  const clamped = <T extends Partial<Ceilings>>(limits: T): T => (ceilings ? clampLimits(limits, ceilings) : limits);
  return {
    specification: { id, content: { ...content, limits: clamped(content.limits) }, repeatability },
    artifact: specification.artifact,
    owners: await ownersOf(em, id),
    task,
    definition: { ...task.definition, limits: clamped(task.definition.limits) },
    cells: lease.purpose === 'measures' ? await scoredEvaluations(em, lease) : await missingEvaluations(em, lease),
  };
}
