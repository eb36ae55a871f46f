import { failure, type Failure } from '@assay/contracts/models';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { BlobStore } from '@assay/storage';
import { HeldPredictions } from './held-predictions.js';
import { MalformedLine, predictionLines } from './prediction-lines.js';
import { NamedIds } from './named-ids.js';

/** The parts that reading predictions requires. */
export interface PredictionsReading {
  readonly definition: TaskDefinition;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
}

/** The IDs with predictions, by dataset. */
export type PredictedIds = ReadonlyMap<string, Set<string>>;

type ReadIds = { readonly ok: true; readonly ids: PredictedIds } | { readonly ok: false; readonly refusal: Failure };

/** Limits the memory that an invalid file can take. */
const MAX_UNKNOWN_IDS = 1_000;
const MAX_DATASETS = 10_000;

/**
 * Returns the IDs in the files with these digests, or why the files are refused: a malformed line, a
 * second prediction, or a dataset that the task does not have.
 * @param names the names of all datasets of the task
 */
export async function readIds(
  digests: readonly string[],
  names: ReadonlySet<string>,
  reading: PredictionsReading,
): Promise<ReadIds> {
  try {
    const ids = await collectIds(digests, names, reading);
    const strangers = new NamedIds();
    for (const [dataset, given] of ids) if (!names.has(dataset)) for (const id of given) strangers.add(dataset, id);
    if (strangers.size === 0) return { ok: true, ids };
    return { ok: false, refusal: strangers.failure('predictions_unknown', NO_SUCH_DATASET) };
  } catch (error) {
    if (!(error instanceof MalformedLine)) throw error;
    return { ok: false, refusal: failure('predictions_malformed', error.message) };
  }
}

const NO_SUCH_DATASET = [
  'prediction names a dataset that the task does not have',
  'predictions name datasets that the task does not have',
] as const;

/**
 * Returns the IDs in the files. Of names that are no dataset of the task only the first IDs are stored.
 *
 * @throws MalformedLine
 */
async function collectIds(
  digests: readonly string[],
  names: ReadonlySet<string>,
  { definition, blobs, signal }: PredictionsReading,
): Promise<PredictedIds> {
  const given = new Map<string, Set<string>>();
  const held = new HeldPredictions();
  for (const digest of digests) {
    for await (const lines of predictionLines(definition, blobs.open(digest))) {
      signal.throwIfAborted();
      for (const line of lines) {
        const { number, dataset, id } = line;
        if (names.has(dataset)) held.add(line);
        const ids = given.get(dataset) ?? new Set<string>();
        if (ids.has(id)) throw new MalformedLine(number, `is a second prediction for "${id}" of ${dataset}`);
        if (ids.size < MAX_UNKNOWN_IDS || names.has(dataset)) ids.add(id);
        if (given.size < MAX_DATASETS) given.set(dataset, ids);
      }
    }
  }
  return given;
}
