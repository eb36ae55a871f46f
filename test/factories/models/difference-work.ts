import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskDefinition } from '@assay/contracts/tasks';
import { seededRng } from '@assay/kernel';
import type { DifferenceWork } from '@assay/leaderboard/comparison';
import { PredictionsWriter } from '@assay/storage';

const LABELS = ['entailment', 'neutral', 'contradiction'];
const SLICES = ['topic', 'source'];

export interface DifferenceWorkOptions {
  /** The name of the dataset, which also seeds its examples and answers. */
  readonly name: string;
  readonly examples: number;
  readonly metrics: readonly string[];
  /** Number of slices of each of two fields. */
  readonly slices: number;
}

/**
 * Writes a dataset and the answers of two models to `folder`, and returns the work that compares
 * them.
 */
export async function differenceWork(
  folder: string,
  { name, examples, metrics, slices }: DifferenceWorkOptions,
): Promise<DifferenceWork> {
  const rng = seededRng(name);
  const gold = Array.from({ length: examples }, () => rng.below(LABELS.length));
  const lines = gold.map((label, index) => {
    const values = SLICES.map((field) => [field, `${field} ${rng.below(slices)}`] as const);
    return JSON.stringify({
      id: `${name}-${index}`,
      text: `text ${index}`,
      label: LABELS[label],
      ...Object.fromEntries(values),
    });
  });
  const content = join(folder, `${name}.jsonl`);
  await writeFile(content, `${lines.join('\n')}\n`);
  const files: Record<string, string> = { [name]: content };
  for (const [model, skill] of [0.5, 0.65].entries()) {
    const path = join(folder, `${name}-${model}.parquet`);
    const writer = await PredictionsWriter.create(path, { labels: LABELS.length });
    await writer.append(
      gold.map((label) => {
        const raw = LABELS.map((_, each) => rng.next() + (each === label ? skill : 0));
        const sum = raw.reduce((total, each) => total + each, 0);
        const probabilities = raw.map((each) => each / sum);
        return { text: LABELS[probabilities.indexOf(Math.max(...probabilities))]!, probabilities };
      }),
    );
    await writer.finish();
    files[`${name}-${model}`] = path;
  }
  const [performance, ...others] = metrics;
  const definition = TaskDefinition.parse({
    slug: 'nli',
    name: 'NLI',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: LABELS },
    performance,
    metrics: others,
    slices: SLICES,
  });
  return {
    definition,
    version: { digest: name, content: name, examples, repeats: 0 },
    collected: false,
    evaluations: [0, 1].map((model) => ({ predictions: `${name}-${model}` })),
    files,
  };
}
