import { failure, type Failure } from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';
import { DomainError } from '@assay/kernel';
import { DatasetUnreadable } from '@assay/tasks';

/** The failure of a cell whose dataset can't be read: the task's fault. Null where `error` says something else. */
export function unreadableDataset(error: unknown, cell: Evaluation): Failure | null {
  const missing = error instanceof DomainError && error.code === 'blob_missing';
  if (!missing && !(error instanceof DatasetUnreadable)) return null;
  const { name } = cell.datasetVersion.dataset;
  return failure('dataset_unavailable', `The dataset "${name}" can't be read: ${error.message}.`);
}
