import type { Readable } from 'node:stream';
import { parseAnswer, PERTURBATIONS, type Answer, type TaskOutput } from '@assay/contracts';
import { z } from 'zod';
import { lineGroups, perturbedName } from '@assay/tasks';

/** A line of a file of predictions. */
export interface PredictionLine {
  /** From 1. */
  readonly number: number;
  /** The dataset's name; of perturbed pairs that of their own dataset. */
  readonly dataset: string;
  readonly id: string;
  readonly answer: Answer;
}

/** A line that is no prediction: which, and why. */
export class MalformedLine extends Error {
  constructor(number: number, why: string) {
    super(`Line ${number.toLocaleString('en-US')} ${why}.`);
    this.name = 'MalformedLine';
  }
}

const Line = z.strictObject({
  // how perturbed datasets are called is our own business
  dataset: z.string().refine((name) => !name.includes('~'), 'is no name of a dataset'),
  perturbation: z.enum(PERTURBATIONS).optional(),
  id: z.union([z.string(), z.number()]).transform(String),
  prediction: z.unknown(),
});

/**
 * The predictions of the JSON Lines in `source`, in the file's order, some at a time.
 * @param dataset reads those of one dataset alone, perturbed or not
 * @throws MalformedLine
 */
export async function* predictionLines(
  output: TaskOutput,
  source: Readable,
  dataset?: string,
): AsyncGenerator<PredictionLine[]> {
  let number = 0;
  for await (const lines of lineGroups(source)) {
    const read: PredictionLine[] = [];
    for (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      const prediction = readLine(output, line, number, dataset);
      if (prediction) read.push(prediction);
    }
    yield read;
  }
}

function readLine(output: TaskOutput, text: string, number: number, dataset?: string): PredictionLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new MalformedLine(number, `is no JSON: ${(error as Error).message}`);
  }
  const line = Line.safeParse(value);
  if (!line.success) {
    const { path, message } = line.error.issues[0]!;
    throw new MalformedLine(number, `is not {"dataset", "id", "prediction"}: ${path.join('.')} ${message}`.trimEnd());
  }
  const { id, perturbation } = line.data;
  const name = perturbation ? perturbedName(line.data.dataset, perturbation) : line.data.dataset;
  if (dataset !== undefined && name !== dataset) return null;

  const outcome = parseAnswer(output, line.data.prediction);
  if (!outcome.ok) throw new MalformedLine(number, `has a prediction that ${outcome.why}`);
  return { number, dataset: name, id, answer: outcome.answer };
}
