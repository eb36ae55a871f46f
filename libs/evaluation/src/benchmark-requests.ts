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
  /** Cells that a run has to fill. */
  readonly evaluations: number;
  /** Cells that are scored from predictions which are stored already, since only gold was corrected. */
  readonly rescored: number;
  /** Of the runs, by the throughput that each model had so far; null where none was measured. */
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
  const specifications = (await specificationsOf(em, task.id)).map(({ id }) => id);
  const cells = await em.find(
    Evaluation,
    { specification: { $in: specifications }, datasetVersion: { dataset: { task } } },
    { populate: ['datasetVersion'], exclude: ['slices', 'sliceSpreads', 'calibration'] },
  );
  const archived = await em.find(RunSpecification, {
    id: { $in: specifications },
    artifact: { archivedAt: { $ne: null } },
  });
  const gone = new Set(archived.map(({ id }) => id));
  let evaluations = 0;
  let rescored = 0;
  let seconds: number | null = 0;
  for (const id of specifications) {
    const own = cells.filter((cell) => cell.specification.id === id);
    const speed = own.find((cell) => cell.measures)?.measures?.throughput ?? null;
    for (const version of versions) {
      if (own.some((cell) => cell.datasetVersion.id === version.id)) continue;
      if (own.some((cell) => hasPredictionsFor(version, cell as Evaluation))) rescored++;
      else if (!gone.has(id)) {
        evaluations++;
        seconds = seconds === null || speed === null ? null : seconds + version.examples / speed;
      }
    }
  }
  return { evaluations, rescored, estimatedSeconds: seconds };
}

const hasPredictionsFor = (
  version: DatasetVersion,
  { state, predictions, datasetVersion: other }: Evaluation,
): boolean =>
  state === 'scored' &&
  Boolean(predictions) &&
  other.dataset.id === version.dataset.id &&
  other.inputsDigest === version.inputsDigest;

async function specificationsOf(em: EntityManager, task: string): Promise<readonly { readonly id: string }[]> {
  const models = await em.find(
    Model,
    { task, withdrawn: false, specification: { $ne: null }, state: { $ne: 'cancelled' } },
    { orderBy: { acceptedAt: 'asc' } },
  );
  return [...new Map(models.map(({ specification }) => [specification!.id, { id: specification!.id }])).values()];
}
