import { BenchmarkVersion } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Returns the sorted IDs of the dataset versions in the task's newest benchmark version. Empty if
 * there is none yet.
 */
export async function activeDatasetVersions(em: EntityManager, taskId: string): Promise<readonly string[]> {
  const newest = await em.findOne(BenchmarkVersion, { task: taskId }, { orderBy: { number: 'desc' } });
  return [...(newest?.datasets ?? [])].sort();
}

/** Returns the IDs as a PostgreSQL array literal, for use with `any(?::uuid[])`. */
export const uuidArray = (ids: Iterable<string>): string => `{${[...ids].join(',')}}`;
