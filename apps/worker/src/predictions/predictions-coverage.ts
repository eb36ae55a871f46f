import { failure, type Failure } from '@assay/contracts/models';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows } from '@assay/tasks/examples';
import { NamedIds } from './named-ids.js';
import type { PredictedIds, PredictionsReading } from './predicted-ids.js';

/**
 * Returns why predictions are refused that must cover every example of these dataset versions and
 * nothing else of their datasets. Null if they do.
 * @param earlier examples that need no prediction, because an earlier file has one
 */
export async function coverageRefusal(
  versions: readonly DatasetVersion[],
  given: PredictedIds,
  { definition, blobs, signal }: PredictionsReading,
  earlier: readonly PredictedIds[] = [],
): Promise<Failure | null> {
  const missing = new NamedIds();
  const unknown = new NamedIds();
  let hidden: string | null = null;
  for (const version of versions) {
    const { name, visibility } = version.dataset;
    const ids = new Set(given.get(name));
    for await (const rows of datasetRows(definition, blobs.open(version.content))) {
      signal.throwIfAborted();
      for (const { id } of rows) {
        if (ids.delete(id) || earlier.some((each) => each.get(name)?.has(id))) continue;
        // only the task owner may know the IDs of a hidden dataset
        if (visibility === 'hidden') hidden ??= name;
        else missing.add(name, id);
      }
    }
    for (const id of ids) unknown.add(name, id);
  }
  if (missing.size > 0) return missing.failure('predictions_incomplete', MISSING);
  if (hidden !== null) return failure('predictions_incomplete', hiddenIncomplete(hidden));
  return unknown.size > 0 ? unknown.failure('predictions_unknown', UNKNOWN) : null;
}

const MISSING = ['prediction is missing', 'predictions are missing'] as const;
const UNKNOWN = [
  'prediction has an ID that is not in its dataset',
  'predictions have IDs that are not in their dataset',
] as const;
const hiddenIncomplete = (dataset: string): string =>
  `The file does not have a prediction for every example of "${dataset}". The dataset is hidden, so the missing IDs are not listed.`;
