import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RunScope } from '../runs/run.js';

/**
 * Returns the sorted IDs of the dataset versions in the task's newest benchmark version. Empty if
 * there is none yet.
 */
export async function activeDatasetVersions(em: EntityManager, taskId: string): Promise<readonly string[]> {
  const newest = await em.findOne(BenchmarkVersion, { task: taskId }, { orderBy: { number: 'desc' } });
  return [...(newest?.datasets ?? [])].sort();
}

/** Evaluations of one specification on some dataset versions. */
export interface Cells {
  readonly specification: string;
  /** IDs of dataset versions. */
  readonly versions: readonly string[];
}

/** Returns the evaluations of a specification on the active dataset versions of a task. */
export const activeCells = async (em: EntityManager, { specification, task }: RunScope): Promise<Cells> => ({
  specification,
  versions: await activeDatasetVersions(em, task),
});
