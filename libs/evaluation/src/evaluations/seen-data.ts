import type { Principal } from '@assay/identity';
import { type Owned, ownsTask } from '@assay/tasks';

/**
 * Returns the SQL condition that a sandbox has seen only data that everybody may read now.
 * @param seen SQL for the IDs of the dataset versions that it had seen, as jsonb; null if unknown
 */
export const sawOnlyReadable = (seen: string): string => `(${seen} is not null and not exists (
  select from jsonb_array_elements_text(${seen}) as had (version)
    left join dataset_version on dataset_version.id = had.version::uuid left join dataset on dataset.id = dataset_version.dataset_id
   where dataset.visibility is null or dataset.visibility = 'hidden'))`;

/**
 * Returns whether `principal` may read the output of a sandbox: its individual answers and its log.
 * That requires the right to read the inputs of every dataset that the sandbox had seen, as an
 * answer to one dataset could carry data of another.
 */
export const mayReadOutput = (principal: Principal | null, task: Owned, isReadable: boolean): boolean =>
  isReadable || ownsTask(principal, task);
