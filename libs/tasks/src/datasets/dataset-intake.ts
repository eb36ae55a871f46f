import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import type { Blob, BlobStore, PutOptions } from '@assay/storage';
import { type Commitment, newSalt } from './commitment.js';
import { badLine, type DatasetFormat, type LineBounds, onlyGood, records } from '../examples/dataset-records.js';
import { type Example, inputsOf, readUploaded } from '../examples/example.js';
import { SeenIds } from '../examples/seen-ids.js';
import { GoldCounts } from './gold-counts.js';
import { SeenInputs } from './duplicate-inputs.js';

/** A dataset that has been read. Its content is in the blob store; no table refers to it yet. */
export interface Intake extends Commitment {
  /** sha256 of the bytes as received. */
  readonly digest: string;
  /** Digest of the blob with the examples as JSON Lines, each with an `id`. */
  readonly content: string;
  /** sha256 over the ids and inputs. */
  readonly inputsDigest: string;
  readonly examples: number;
  /** As `GoldCounts` returns them. */
  readonly goldCounts: Readonly<Record<string, number>> | null;
  /** Names of the fields that occur in any example, at most `MOST_FIELDS` of them. */
  readonly fields: readonly string[];
  /** The number of examples whose inputs are those of an earlier one. */
  readonly repeats: number;
}

interface IntakeSettings {
  readonly moreOf?: (example: Example, place: number) => Readonly<Record<string, unknown>>;
  readonly onBytes?: PutOptions['onBytes'];
  readonly bounds?: LineBounds;
}

/**
 * The largest number of field names that are recorded. The names of further fields are not known.
 */
export const MOST_FIELDS = 200;

/**
 * Reads a dataset of any size from a stream and writes it to `blobs` line by line.
 * @param settings `moreOf` returns fields to store with those of an example, or throws to reject
 * it; `onBytes` receives the number of stored bytes, or throws to reject them; `bounds` are the
 * bounds of a line (default: those of uploads)
 * @throws DomainError `bad_line` with the line's number, `empty_dataset`, `dataset_too_large`,
 * `not_utf8`; nothing is stored then
 */
export async function storeDataset(
  task: TaskDefinition,
  source: Readable,
  format: DatasetFormat,
  blobs: BlobStore,
  { moreOf = () => ({}), onBytes, bounds }: IntakeSettings = {},
): Promise<{ readonly intake: Intake; readonly blob: Blob; readonly seen: SeenInputs }> {
  const uploaded = createHash('sha256');
  const salt = newSalt();
  const salted = createHash('sha256').update(Buffer.from(salt, 'hex'));
  const both = { update: (bytes: Uint8Array) => (uploaded.update(bytes), salted.update(bytes)) };
  const inputs = createHash('sha256');
  const gold = new GoldCounts(task.output.type);
  const ids = new SeenIds();
  const fields = new Set<string>();
  const seen = new SeenInputs(task);

  const lines = async function* (): AsyncGenerator<string> {
    for await (const { place, record } of onlyGood(records(source, both, format, task, bounds))) {
      const outcome = readUploaded(task, record, place);
      if (!outcome.ok) throw badLine(place, outcome.why);
      const { example } = outcome;
      if (!ids.add(example.id)) throw badLine(place, `the id "${example.id}" already occurs on an earlier line`);
      for (const name of Object.keys(example.fields)) if (fields.size < MOST_FIELDS) fields.add(name);
      seen.add(example);
      inputs.update(JSON.stringify([example.id, inputsOf(task, example.fields)]));
      gold.add(example.gold);
      yield `${JSON.stringify({ ...example.fields, ...moreOf(example, place), id: example.id })}\n`;
    }
    if (ids.size === 0) throw new DomainError('invalid', 'empty_dataset', 'The dataset has no examples.');
  };

  const blob = await blobs.put(Readable.from(lines()), { onBytes });
  const intake = {
    digest: uploaded.digest('hex'),
    salt,
    commitment: salted.digest('hex'),
    content: blob.digest,
    inputsDigest: inputs.digest('hex'),
    examples: ids.size,
    goldCounts: gold.result(),
    fields: [...fields],
    repeats: seen.repeats,
  };
  return { intake, blob, seen };
}
