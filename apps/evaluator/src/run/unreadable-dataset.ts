import { failure, type Failure } from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';
import { DomainError } from '@assay/kernel';
import { DatasetUnreadable } from '@assay/tasks';

/**
 * The failure of a cell whose dataset can't be read: the task's fault. Null where `error` says something else. Of a dataset that is not public it
 * names the line, and nothing that stands there.
 */
export function unreadableDataset(error: unknown, cell: Evaluation): Failure | null {
  const missing = error instanceof DomainError && error.code === 'blob_missing';
  if (!missing && !(error instanceof DatasetUnreadable)) return null;
  const { name, visibility } = cell.datasetVersion.dataset;
  const isClosed = visibility !== 'public' && error instanceof DatasetUnreadable;
  const why = isClosed ? `line ${error.line} is none of an example of the task` : error.message;
  return failure('dataset_unavailable', `The dataset "${name}" can't be read: ${why}.`);
}
