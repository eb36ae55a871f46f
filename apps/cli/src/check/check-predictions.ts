import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseAnswer } from '@assay/contracts';
import { z } from 'zod';
import type { Api } from '../connection/api.js';
import { count } from '../format/numbers.js';
import { refused } from './check-refusal.js';
import type { CheckTerms } from './check-terms.js';
import { datasetContent } from './example-instances.js';

const Line = z.object({
  dataset: z.string(),
  id: z.union([z.string(), z.number()]).transform(String),
  prediction: z.unknown(),
});

/**
 * Parses a predictions file as the server does, and compares its IDs with those of the public
 * datasets.
 *
 * @returns the number of predictions for each dataset
 * @throws CommandFailure if the server would refuse the file
 */
export async function checkPredictions(
  path: string,
  terms: CheckTerms,
  api: () => Promise<Api>,
): Promise<Readonly<Record<string, number>>> {
  const ids = await predictedIds(path, terms);
  if (terms.task !== null) {
    for (const { name } of terms.publicDatasets) await compare(await api(), terms.task, name, ids.get(name));
  }
  return Object.fromEntries([...ids].map(([dataset, known]) => [dataset, known.size]));
}

async function predictedIds(path: string, { output, definition }: CheckTerms): Promise<Map<string, Set<string>>> {
  const ids = new Map<string, Set<string>>();
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number++;
    if (text.trim() === '') continue;
    const malformed = (why: string) => refused('predictions_malformed', `Line ${count(number)} ${why}.`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw malformed(`is not valid JSON: ${(error as Error).message}`);
    }
    const line = Line.safeParse(value);
    if (!line.success) throw malformed('is not {"dataset", "id", "prediction"}');
    const outcome = output && parseAnswer(output, line.data.prediction, definition ?? {});
    if (outcome && !outcome.ok) throw malformed(`has a prediction that ${outcome.why}`);
    const known = ids.get(line.data.dataset) ?? new Set();
    if (known.has(line.data.id))
      throw malformed(`is a second prediction for "${line.data.id}" of ${line.data.dataset}`);
    ids.set(line.data.dataset, known.add(line.data.id));
  }
  return ids;
}

async function compare(api: Api, task: string, dataset: string, predicted = new Set<string>()): Promise<void> {
  const extra = new Set(predicted);
  const missing: string[] = [];
  let number = 0;
  for await (const text of createInterface({ input: await datasetContent(api, task, dataset), crlfDelay: Infinity })) {
    if (text === '') continue;
    number++;
    const { id, uid } = JSON.parse(text) as { readonly id?: string | number; readonly uid?: string | number };
    const key = String(id ?? uid ?? number);
    if (!predicted.has(key)) missing.push(key);
    extra.delete(key);
  }
  if (missing.length > 0) {
    throw refused(
      'predictions_incomplete',
      `${dataset} has ${count(number)} examples, and these have no prediction: ${listed(missing)}.`,
    );
  }
  if (extra.size > 0)
    throw refused('predictions_unknown', `${dataset} has no examples with these IDs: ${listed([...extra])}.`);
}

function listed(ids: readonly string[]): string {
  const more = ids.length > 10 ? ` and ${count(ids.length - 10)} more` : '';
  return ids.slice(0, 10).join(', ') + more;
}
