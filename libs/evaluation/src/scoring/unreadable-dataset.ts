import { type Visibility } from '@assay/contracts/datasets';
import { failure, type Failure } from '@assay/contracts/models';
import { DomainError } from '@assay/kernel';
import { DatasetUnreadable } from '@assay/tasks/examples';

/**
 * Returns the failure of a cell whose dataset is unreadable, which is the task's fault. Null for
 * any other error. For a dataset that is not public it names the line, but neither its content nor
 * the digest of the file.
 */
export function unreadableDataset(
  error: unknown,
  { name, visibility }: { readonly name: string; readonly visibility: Visibility },
): Failure | null {
  if (!isUnreadable(error)) return null;
  return failure('dataset_unavailable', `The dataset "${name}" cannot be read: ${whyOf(error, visibility)}.`);
}

/** Returns whether the error says that a dataset is missing or malformed. */
export const isUnreadable = (error: unknown): error is DomainError | DatasetUnreadable =>
  error instanceof DatasetUnreadable || (error instanceof DomainError && error.code === 'blob_missing');

function whyOf(error: DomainError | DatasetUnreadable, visibility: Visibility): string {
  if (visibility === 'public') return error.message;
  return error instanceof DatasetUnreadable
    ? `line ${error.line} is not a valid example of the task`
    : 'its file is missing';
}
