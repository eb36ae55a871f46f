import type { TaskDefinition } from '@assay/contracts/tasks';
import { type Rng, seededRng } from '@assay/kernel';
import type { Transform } from './transform.js';
import { speaks } from './transforms.js';
import { swaps, typos } from './transforms/word-transforms.js';

/** The share of the inputs to which a pass over the dataset must add a variant, or the next one is the last. */
const SMALLEST_YIELD = 0.05;
/** The number of passes with the same number of errors. */
const PASSES = 2;
/** Maximum size of all variants together, in UTF-16 units. */
const MOST_TEXT = 32_000_000;

export interface WantedVariants {
  readonly count: number;
  /** The same seed gives the same variants. */
  readonly seed: string;
}

/**
 * Yields different inputs, as JSON, that are those of a dataset with typing errors. They are not
 * scored: gold outputs play no part, and the errors may change the right answer. Yields fewer than
 * `count` if the texts have no more variants, and none if the inputs have no text.
 * @param instances opens the inputs of the dataset, as JSON
 */
export async function* inputVariants(
  task: TaskDefinition,
  instances: () => AsyncIterable<readonly { readonly instance: string }[]>,
  { count, seed }: WantedVariants,
): AsyncGenerator<string> {
  const fields = task.inputs.filter(({ type }) => type === 'text').map(({ name }) => name);
  // typos keep the length of a text
  const transform = speaks(typos, task) ? typos : swaps;
  const seen = new Set<string>();
  let text = 0;
  for (let pass = 0, poor = 0; poor < 2; pass++) {
    const before = seen.size;
    let inputs = 0;
    const rng = seededRng(`${seed}/${pass}`);
    // later passes make more errors, because short texts have few variants with one
    const times = 1 + Math.floor(pass / PASSES);
    const change = (texts: readonly string[]) => applied(transform, texts, { times, rng, language: task.language });
    for await (const group of instances()) {
      for (const { instance } of group) {
        inputs++;
        const variant = varied(instance, fields, change);
        if (variant === instance || seen.has(variant)) continue;
        if (seen.size === count || text > MOST_TEXT) return;
        seen.add(variant);
        text += variant.length;
        yield variant;
      }
    }
    poor = seen.size - before <= SMALLEST_YIELD * inputs ? poor + 1 : 0;
  }
}

/** Returns the input with other texts in these fields, as JSON. */
function varied(
  instance: string,
  fields: readonly string[],
  change: (texts: readonly string[]) => readonly string[],
): string {
  const inputs = JSON.parse(instance) as Readonly<Record<string, unknown>>;
  const changed = change(fields.map((field) => String(inputs[field])));
  return JSON.stringify({ ...inputs, ...Object.fromEntries(fields.map((field, place) => [field, changed[place]!])) });
}

/** Returns the texts after `times` applications of the transform. */
const applied = (
  transform: Transform,
  texts: readonly string[],
  { times, rng, language }: { readonly times: number; readonly rng: Rng; readonly language: string },
): readonly string[] =>
  Array.from({ length: times }).reduce<readonly string[]>((changed) => {
    const free = changed.map((text) => ({ text, protectedSpans: [] }));
    return transform.apply(free, rng, language);
  }, texts);
