import type { Readable } from 'node:stream';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Blob, BlobStore, PutOptions } from '@assay/storage';
import { storeDataset } from '../datasets/dataset-intake.js';
import { badLine } from '../examples/dataset-records.js';
import { lineGroups } from '../examples/line-groups.js';
import { SeenIds } from '../examples/seen-ids.js';
import type { StoredVariants } from './generated-variants.js';

/**
 * Stores an owner's own perturbed pairs: JSON Lines as in a dataset, each with `input_id`. Their
 * labels may differ from those of their originals.
 * @param originals ids of the dataset's examples
 * @throws DomainError `bad_line`, `unknown_original`; nothing is stored then
 */
export async function takeOwnPairs(
  task: TaskDefinition,
  source: Readable,
  originals: Pick<SeenIds, 'has'>,
  blobs: BlobStore,
  onBytes?: PutOptions['onBytes'],
): Promise<{ readonly pairs: StoredVariants; readonly blob: Blob }> {
  const { intake, blob } = await storeDataset(task, source, 'jsonl', blobs, {
    moreOf: ({ fields }, place) => {
      const original = originalOf(fields);
      if (original === null) throw badLine(place, '"input_id" is missing');
      if (!originals.has(original)) {
        const why = `"input_id" is "${original.slice(0, 200)}", which is not an example of the dataset`;
        throw badLine(place, why, 'unknown_original');
      }
      return { input_id: original, transform: 'own' };
    },
    onBytes,
  });
  const { content, inputsDigest, examples } = intake;
  const transforms = [{ name: 'own' as const, version: 1, variants: examples, validated: 0, kept: 0 }];
  return { pairs: { content, inputsDigest, examples, transforms }, blob };
}

/** Returns whether the original of every pair in the blob is in `originals`. */
export async function pairsFit(blobs: BlobStore, content: string, originals: Pick<SeenIds, 'has'>): Promise<boolean> {
  for await (const lines of lineGroups(blobs.open(content))) {
    for (const line of lines) {
      if (line !== '' && !originals.has(originalOf(JSON.parse(line) as Record<string, unknown>) ?? '')) return false;
    }
  }
  return true;
}

/** Returns the ids of the examples in a stored blob. */
export async function storedIds(blobs: BlobStore, content: string): Promise<SeenIds> {
  const ids = new SeenIds(Infinity);
  for await (const lines of lineGroups(blobs.open(content))) {
    for (const line of lines) if (line !== '') ids.add(String((JSON.parse(line) as { id: unknown }).id));
  }
  return ids;
}

function originalOf(fields: Readonly<Record<string, unknown>>): string | null {
  const id = fields['input_id'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}
