import { BenchmarkVersion } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Ids of the dataset versions that the task's newest benchmark version names, sorted; none before anything is active. */
export async function activeDatasetVersions(em: EntityManager, taskId: string): Promise<readonly string[]> {
  const newest = await em.findOne(BenchmarkVersion, { task: taskId }, { orderBy: { number: 'desc' } });
  return [...(newest?.datasets ?? [])].sort();
}

/** Ids as an array of PostgreSQL, to go with `any(?::uuid[])`. */
export const uuidArray = (ids: Iterable<string>): string => `{${[...ids].join(',')}}`;
