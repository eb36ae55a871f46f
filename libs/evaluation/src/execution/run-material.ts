import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '../evaluations/evaluation.js';
import { answeredEvaluations, missingEvaluations } from '../outcomes/run-outcome.js';
import type { RunClaim } from '../runs/run-lease.js';
import { ownersOf, RunSpecification } from '@assay/submissions';
import { type Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { type Ceilings, clampLimits } from '@assay/tasks/limits';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The data that a run needs, read once after the run was leased. */
export interface RunMaterial {
  /** Its limits are within the ceilings of this host. */
  readonly specification: Pick<RunSpecification, 'id' | 'content' | 'repeatability'>;
  readonly artifact: Artifact;
  /** IDs of the accounts that own the model. */
  readonly owners: readonly string[];
  readonly task: Task;
  /** Its limits are within the ceilings of this host. */
  readonly definition: TaskDefinition;
  /** The missing cells with their datasets; for a run that only measures, the answered cells. */
  readonly cells: readonly Evaluation[];
}

/** The parts of a run's data that a reader gives. */
export interface MaterialOptions {
  /** The ceilings of this host; without them the limits stay as the task sets them. */
  readonly ceilings?: Ceilings | undefined;
  /** Default: all cells of the run are read. */
  readonly cells?: readonly Evaluation[];
}

/** Reads the data of a run. */
export async function readMaterial(
  em: EntityManager,
  claim: RunClaim,
  { ceilings, cells }: MaterialOptions = {},
): Promise<RunMaterial> {
  const specification = await em.findOneOrFail(RunSpecification, claim.scope.specification, { populate: ['artifact'] });
  const task = await em.findOneOrFail(Task, claim.scope.task);
  const { id, content, repeatability } = specification;
  const clamped = <T extends Partial<Ceilings>>(limits: T): T => (ceilings ? clampLimits(limits, ceilings) : limits);
  return {
    specification: { id, content: { ...content, limits: clamped(content.limits) }, repeatability },
    artifact: specification.artifact,
    owners: await ownersOf(em, id),
    task,
    definition: { ...task.definition, limits: clamped(task.definition.limits) },
    cells: cells ?? (await cellsOf(em, claim)),
  };
}

const cellsOf = (em: EntityManager, claim: RunClaim): Promise<Evaluation[]> =>
  claim.purpose === 'measures' ? answeredEvaluations(em, claim) : missingEvaluations(em, claim);
