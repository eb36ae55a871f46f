import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { datasetsContent } from '@assay/api-client/fetch';
import { usageFailure } from '../command-failure.js';
import type { Api } from '../connection/api.js';
import type { CheckTerms } from './check-terms.js';

export interface ExampleInstances {
  readonly instances: readonly Readonly<Record<string, unknown>>[];
  /** The origin of the instances, as words for a sentence. */
  readonly source: string;
}

const COUNT = 10;

/**
 * Returns up to ten inputs for a model: from the file, else from a public dataset of the task, else
 * generated.
 *
 * @throws CommandFailure if a line is not JSON, lacks an input of the task, or if there are no
 *   examples
 */
export async function exampleInstances(
  terms: CheckTerms,
  file: string | undefined,
  api: () => Promise<Api>,
): Promise<ExampleInstances> {
  if (file !== undefined) return { instances: await firstLines(createReadStream(file), terms, file), source: file };

  const [dataset] = terms.publicDatasets;
  if (dataset !== undefined && terms.task !== null) {
    const content = await datasetContent(await api(), terms.task, dataset);
    return { instances: await firstLines(content, terms, dataset), source: `the public dataset ${dataset}` };
  }
  return { instances: Array.from({ length: COUNT }, (_, place) => madeUp(terms, place)), source: 'generated' };
}

/** Downloads the examples of a public dataset as JSON Lines. */
export async function datasetContent(api: Api, slug: string, name: string): Promise<Readable> {
  const { data } = await datasetsContent({ client: api, path: { slug, name }, parseAs: 'stream' });
  return Readable.fromWeb(data as unknown as import('node:stream/web').ReadableStream);
}

async function firstLines(
  source: Readable,
  terms: CheckTerms,
  name: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  const instances: Record<string, unknown>[] = [];
  try {
    let number = 0;
    for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
      number++;
      if (line.trim() !== '') instances.push(instanceOf(line, terms, `${name}, line ${number}`));
      if (instances.length === COUNT) break;
    }
  } finally {
    source.destroy();
  }
  if (instances.length === 0) throw usageFailure(`${name} has no examples.`);
  return instances;
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
