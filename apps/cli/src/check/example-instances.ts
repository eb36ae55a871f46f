import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { datasetsContent } from '@assay/api-client/fetch';
import { SAMPLE_EXAMPLES } from '@assay/contracts/tasks';
import { lineGroups } from '@assay/tasks/examples';
import { usageFailure } from '../command-failure.js';
import type { Api } from '../connection/api.js';
import type { CheckTerms, PublicDataset } from './check-terms.js';

export interface ExampleInstances {
  readonly instances: readonly Readonly<Record<string, unknown>>[];
  /** The origin of the instances, as words for a sentence. */
  readonly source: string;
  /** The lines that the instances were read from, as JSON. Empty for generated instances. */
  readonly lines: readonly string[];
  /** Seeds the random draws of an interval. For all examples of a dataset, the service uses the same seed. */
  readonly seed: string;
}

const GENERATED = 10;
/** The largest number of examples that are sent. */
export const MOST_EXAMPLES = 200;

/**
 * Returns inputs for a model: up to 200 from the file, else from the public sample of the task, else
 * ten that are generated.
 *
 * @throws CommandFailure if a line is not JSON, lacks an input of the task, or if there are no
 *   examples
 */
export async function exampleInstances(
  terms: CheckTerms,
  file: string | undefined,
  api: () => Promise<Api>,
): Promise<ExampleInstances> {
  if (file !== undefined)
    return { ...(await firstLines(createReadStream(file), terms, file)), source: file, seed: file };

  const sample = publicSample(terms.publicDatasets);
  if (sample && terms.task !== null) {
    const { name, digest } = sample;
    const content = await datasetContent(await api(), terms.task, name);
    return { ...(await firstLines(content, terms, name)), source: `the public dataset ${name}`, seed: digest };
  }
  const instances = Array.from({ length: GENERATED }, (_, place) => madeUp(terms, place));
  return { instances, source: 'generated', lines: [], seed: '' };
}

/** Returns the public sample of a task: its first public dataset of at least 20 examples, else its largest one. */
export const publicSample = (datasets: readonly PublicDataset[]): PublicDataset | undefined =>
  datasets.find(({ examples }) => examples >= SAMPLE_EXAMPLES) ??
  [...datasets].sort((a, b) => b.examples - a.examples)[0];

/** Downloads the examples of a public dataset as JSON Lines. */
export async function datasetContent(api: Api, slug: string, name: string): Promise<Readable> {
  const { data } = await datasetsContent({ client: api, path: { slug, name }, parseAs: 'stream' });
  return Readable.fromWeb(data as unknown as import('node:stream/web').ReadableStream);
}

async function firstLines(
  source: Readable,
  terms: CheckTerms,
  name: string,
): Promise<Pick<ExampleInstances, 'instances' | 'lines'>> {
  const lines: string[] = [];
  const instances: Record<string, unknown>[] = [];
  let number = 0;
  try {
    for await (const group of lineGroups(source)) {
      for (const line of group) {
        number++;
        if (line.trim() === '' || lines.length === MOST_EXAMPLES) continue;
        instances.push(instanceOf(line, terms, `${name}, line ${number}`));
        lines.push(line);
      }
      if (lines.length === MOST_EXAMPLES) break;
    }
  } finally {
    source.destroy();
  }
  if (lines.length === 0) throw usageFailure(`${name} has no examples.`);
  return { instances, lines };
}

/** Extracts the task's inputs from an example. A model receives no other fields. */
function instanceOf(line: string, { task, inputs }: CheckTerms, place: string): Record<string, unknown> {
  let example: Record<string, unknown>;
  try {
    example = JSON.parse(line) as Record<string, unknown>;
  } catch {
    throw usageFailure(`${place} is not valid JSON.`);
  }
  if (task === null) return example;
  const missing = inputs.find(({ name }) => example[name] === undefined);
  if (missing) throw usageFailure(`${place} has no "${missing.name}".`);
  return Object.fromEntries(inputs.map(({ name }) => [name, example[name]]));
}

const madeUp = ({ inputs }: CheckTerms, place: number): Record<string, unknown> =>
  Object.fromEntries(inputs.map(({ name, type }) => [name, VALUES[type](place)]));

const TEXTS = [
  'The plot is thin, but the two leads carry it.',
  'It opens at nine and closes at five.',
  'Never again: the soup was cold and so was the waiter.',
  'A river runs through the town from north to south.',
  'I would not say that I did not like it.',
  'Ünïcode, “quotes” and 😀 are texts as well.',
  'The committee met on Tuesday, and again on Friday, without a decision.',
  'x',
  'Better than the first part, worse than the book.',
  `A long one. ${'It repeats itself, as some texts do. '.repeat(20)}`,
];

/** The smallest PNG: one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const VALUES = {
  text: (place: number): unknown => TEXTS[place % TEXTS.length],
  number: (place: number): unknown => place * 1.5 - 3,
  image: (): unknown => ({ b64: PIXEL, mediaType: 'image/png' }),
} as const;
