import type { Principal } from '@assay/identity';
import { type Owned, ownsTask } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { uuidArray } from './active-datasets.js';
import type { Evaluation } from './evaluation.js';

/**
 * SQL for whether a sandbox has seen nothing but data that anybody may read now.
 * @param seen SQL for the ids of the dataset versions that it had seen, as jsonb; null: nobody knows
 */
export const sawOnlyReadable = (seen: string): string => `(${seen} is not null and not exists (
  select from jsonb_array_elements_text(${seen}) as had (version)
    left join dataset_version on dataset_version.id = had.version::uuid left join dataset on dataset.id = dataset_version.dataset_id
   where dataset.visibility is null or dataset.visibility = 'hidden'))`;

/**
 * Whether `principal` may read what a sandbox gave or wrote: its single answers and its log. Only those may who may read the inputs of every
 * dataset that it had seen: what it said of one could carry another.
 */
export const mayReadOutput = (principal: Principal | null, task: Owned, isReadable: boolean): boolean =>
  isReadable || ownsTask(principal, task);

/** Ids of the evaluations whose answers come from sandboxes that have seen nothing but data that anybody may read now. */
export async function readableAnswers(
  em: EntityManager,
  evaluations: readonly Pick<Evaluation, 'id'>[],
): Promise<ReadonlySet<string>> {
  if (evaluations.length === 0) return new Set();
  const rows = await em.execute<{ id: string }[]>(
    `select id from evaluation where id = any(?::uuid[]) and ${sawOnlyReadable('evaluation.seen')}`,
    [uuidArray(evaluations.map(({ id }) => id))],
  );
  return new Set(rows.map(({ id }) => id));
}
