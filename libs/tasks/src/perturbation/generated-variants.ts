import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Perturbation } from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { seededRng } from '@assay/kernel';
import type { BlobStore } from '@assay/storage';
import type { AppliedTransform, DatasetVersion } from '../datasets/dataset.js';
import { type Example, inputsOf, readExample } from '../examples/example.js';
import { lineGroups } from '../examples/line-groups.js';
import { spansOf, type Transform } from './transform.js';
import { transformsFor } from './transforms.js';

/** Perturbed examples in the blob store. No table refers to them yet. */
export interface StoredVariants {
  /**
   * Digest of the blob of JSON Lines, each with `id`, `input_id`, `transform` and the perturbed
   * fields of its original.
   */
  readonly content: string;
  /** sha256 over the ids and inputs. */
  readonly inputsDigest: string;
  readonly examples: number;
  readonly transforms: readonly AppliedTransform[];
}

/**
 * The number of candidates, as a multiple of the sample size, that are searched for originals that
 * some transform changes.
 */
const CANDIDATES = 10;

/**
 * Perturbs a sample of the examples of a dataset version: the first in the order of the hash of
 * inputs digest and id, among those that some transform changes. The sample depends on the inputs
 * and not on the gold, so that corrected gold needs no run. Exception: gold answers in the context
 * of a span output, which transforms preserve. Returns null if there is nothing to perturb.
 */
export async function generateVariants(
  task: TaskDefinition,
  kind: Perturbation,
  version: Pick<DatasetVersion, 'content' | 'inputsDigest'>,
  blobs: BlobStore,
): Promise<StoredVariants | null> {
  const transforms = transformsFor(task, kind);
  if (transforms.length === 0) return null;

  const source = { task, transforms, version, blobs };
  const chosen = await sampledPlaces(source, task.perturbations?.sample ?? 0);
  if (chosen.size === 0) return null;

  const inputs = createHash('sha256');
  const counts = new Map(transforms.map(({ name }) => [name, 0]));
  let examples = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const { example } of examplesAt(source, chosen)) {
      for (const transform of transforms) {
        const fields = perturbedFields(task, transform, version.inputsDigest, example);
        if (!fields) continue;
        const id = `${example.id}~${transform.name}`;
        counts.set(transform.name, counts.get(transform.name)! + 1);
        examples++;
        inputs.update(JSON.stringify([id, inputsOf(task, fields)]));
        yield variantLine(fields, { id, input_id: example.id, transform: transform.name });
      }
    }
  };
  const { digest: content } = await blobs.put(Readable.from(lines()));
  return {
    content,
    inputsDigest: inputs.digest('hex'),
    examples,
    transforms: transforms
      .map(({ name, version: number }) => ({
        name,
        version: number,
        variants: counts.get(name)!,
        validated: 0,
        kept: 0,
      }))
      .filter(({ variants }) => variants > 0),
  };
}

/** Returns a line of a perturbed version's content. */
function variantLine(
  fields: Readonly<Record<string, unknown>>,
  names: { readonly id: string; readonly input_id: string; readonly transform: string },
): string {
  // drop the original's alternative id, which must not identify the variant
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'uid'));
  return `${JSON.stringify({ ...names, ...rest, ...names })}\n`;
}

interface Source {
  readonly task: TaskDefinition;
  readonly transforms: readonly Transform[];
  readonly version: Pick<DatasetVersion, 'content' | 'inputsDigest'>;
  readonly blobs: BlobStore;
}

/**
 * Returns the positions of the first `sample` examples, in hash order, that some transform changes.
 * Only the first `CANDIDATES` × `sample` examples are tried.
 */
async function sampledPlaces(source: Source, sample: number): Promise<ReadonlySet<number>> {
  const { inputsDigest } = source.version;
  const candidates = new SmallestHashes(sample * CANDIDATES);
  for await (const { line, place } of storedLines(source)) {
    candidates.add(hashOf(inputsDigest, (JSON.parse(line) as { id: unknown }).id), place);
  }
  const changed = new SmallestHashes(sample);
  for await (const { example, place } of examplesAt(source, candidates.places())) {
    const isChanged = source.transforms.some(
      (transform) => perturbedFields(source.task, transform, inputsDigest, example) !== null,
    );
    if (isChanged) changed.add(hashOf(inputsDigest, example.id), place);
  }
  return changed.places();
}

async function* examplesAt(
  source: Source,
  places: ReadonlySet<number>,
): AsyncGenerator<{ readonly example: Example; readonly place: number }> {
  for await (const { line, place } of storedLines(source)) {
    if (!places.has(place)) continue;
    const outcome = readExample(source.task, JSON.parse(line), place);
    if (outcome.ok) yield { example: outcome.example, place };
  }
}

async function* storedLines({
  version,
  blobs,
}: Source): AsyncGenerator<{ readonly line: string; readonly place: number }> {
  let place = 0;
  for await (const lines of lineGroups(blobs.open(version.content))) {
    for (const line of lines) if (line !== '') yield { line, place: place++ };
  }
}

const hashOf = (digest: string, id: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([digest, 'sample', id]))
    .digest('hex');

/** Keeps the positions of the `size` smallest hashes in bounded memory. */
class SmallestHashes {
  private entries: { readonly hash: string; readonly place: number }[] = [];

  constructor(private readonly size: number) {}

  add(hash: string, place: number): void {
    this.entries.push({ hash, place });
    if (this.entries.length > 2 * this.size + 1000) this.shrink();
  }

  places(): ReadonlySet<number> {
    this.shrink();
    return new Set(this.entries.map(({ place }) => place));
  }

  private shrink(): void {
    this.entries.sort((one, other) => (one.hash < other.hash ? -1 : 1));
    this.entries.length = Math.min(this.entries.length, this.size);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of `example` with its text inputs perturbed, or null if the transform changes
 * nothing. For a span output, occurrences of the gold answers in their source field are preserved.
 * @param digest inputs digest of the dataset; the random seed is derived from it, the transform's
 * name and version, and the example's id
 */
export function perturbedFields(
  task: TaskDefinition,
  transform: Transform,
  digest: string,
  example: Example,
): Fields | null {
  const names = task.inputs.filter(({ type }) => type === 'text').map(({ name }) => name);
  const answerField = task.output.type === 'span' ? task.output.of : null;
  const texts = names.map((name) => {
    const text = String(example.fields[name]);
    return { text, protectedSpans: name === answerField ? spansOf(text, example.gold) : [] };
  });
  const rng = seededRng(drawOf(digest, transform, example.id));
  const perturbed = transform.apply(texts, rng, task.language);
  const isChanged = perturbed.some((text, field) => text !== texts[field]!.text);
  if (!isChanged) return null;
  return { ...example.fields, ...Object.fromEntries(names.map((name, field) => [name, perturbed[field]!])) };
}

const drawOf = (digest: string, { name, version }: Transform, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([digest, name, version, id]))
    .digest('hex');
