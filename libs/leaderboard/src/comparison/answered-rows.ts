import type { Answer } from '@assay/contracts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import { type BlobStore, StoredAnswers } from '@assay/storage';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow, clusteredRows, DatasetUnreadable } from '@assay/tasks/examples';

/** Consecutive rows of a dataset with the answers of each model. */
export interface AnsweredRows {
  readonly rows: readonly DatasetRow[];
  /** By model, then by row. Null for an invalid answer that the task tolerated. */
  readonly answers: readonly (readonly (Answer | null)[])[];
}

/**
 * Stored answers or examples cannot be read (any more), so nothing can be computed from them. The
 * message says why.
 */
export class AnswersUnreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AnswersUnreadable';
  }
}

/**
 * Yields the rows of a dataset version with the stored answers of some of its evaluations.
 * @param isCollected see `clusterFields`; only clusters depend on it
 * @throws AnswersUnreadable
 */
export async function* answeredRows(
  blobs: Pick<BlobStore, 'open' | 'path'>,
  definition: TaskDefinition,
  version: Pick<DatasetVersion, 'content' | 'examples' | 'repeats'>,
  evaluations: readonly Pick<Evaluation, 'predictions'>[],
  isCollected = false,
): AsyncGenerator<AnsweredRows> {
  try {
    const stored = await Promise.all(evaluations.map((evaluation) => storedAnswers(blobs, version, evaluation)));
    const open = () => blobs.open(version.content);
    for await (const rows of clusteredRows(definition, open, version.repeats ?? null, isCollected)) {
      yield { rows, answers: await Array.fromAsync(stored, (each) => each.take(rows.length)) };
    }
  } catch (error) {
    if (!isBlobMissing(error) && !(error instanceof DatasetUnreadable)) throw error;
    // the message of the error could quote the line, which not everybody may read
    const why = error instanceof DatasetUnreadable ? `line ${error.line} of the dataset cannot be read` : error.message;
    throw new AnswersUnreadable(why, { cause: error });
  }
}

export const isBlobMissing = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === 'blob_missing';

/**
 * Returns the stored answers of an evaluation to every example.
 * @throws AnswersUnreadable, DomainError `blob_missing`
 */
export async function storedAnswers(
  blobs: Pick<BlobStore, 'path'>,
  version: Pick<DatasetVersion, 'examples'>,
  { predictions }: Pick<Evaluation, 'predictions'>,
): Promise<StoredAnswers> {
  if (!predictions) throw new AnswersUnreadable('the predictions are not stored');
  const stored = await StoredAnswers.open(await blobs.path(predictions));
  if (stored.rows === version.examples) return stored;
  throw new AnswersUnreadable(`there are ${stored.rows} predictions for ${version.examples} examples`);
}
