import { createHash } from 'node:crypto';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { seededRng } from '@assay/kernel';
import type { Example } from '../examples/example.js';
import { spansOf, type Transform } from './transform.js';

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
