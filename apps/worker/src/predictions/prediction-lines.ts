import type { Readable } from 'node:stream';
import { parseAnswer, type Answer } from '@assay/contracts';
import { PERTURBATIONS } from '@assay/contracts/metrics';
import { type TaskDefinition } from '@assay/contracts/tasks';
import { count } from '@assay/contracts/text';
import { lineGroups, LineTooLong, parseBounded, perturbedName, UPLOADED_LINE } from '@assay/tasks/examples';
import { z } from 'zod';

/** The parts of a task definition that predictions must fit. */
type AnsweredTask = Pick<TaskDefinition, 'output' | 'strictProbabilities'>;

/** A line of a predictions file. */
export interface PredictionLine {
  /** Starts at 1. */
  readonly number: number;
  /** Name of the dataset; for perturbed pairs, the name of the perturbed dataset. */
  readonly dataset: string;
  readonly id: string;
  readonly answer: Answer;
}

/** A line that is not a prediction, with its number and the reason. */
export class MalformedLine extends Error {
  constructor(number: number, why: string) {
    super(`Line ${count(number)} ${why}.`);
    this.name = 'MalformedLine';
  }
}

const Line = z.strictObject({
  // the names of perturbed datasets (with `~`) are internal
  dataset: z.string().refine((name) => !name.includes('~'), 'is not a valid dataset name'),
  perturbation: z.enum(PERTURBATIONS).optional(),
  id: z.union([z.string().max(1000), z.number()]).transform(String),
  prediction: z.unknown(),
});

/**
 * Yields the predictions of the JSON Lines in `source` in groups, in the order of the file.
 * @param dataset restricts the predictions to one dataset, perturbed or not
 * @throws MalformedLine
 */
export async function* predictionLines(
  task: AnsweredTask,
  source: Readable,
  dataset?: string,
): AsyncGenerator<PredictionLine[]> {
  let number = 0;
  for await (const lines of boundedLines(source)) {
    const read: PredictionLine[] = [];
    for (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      const prediction = readLine(task, line, number, dataset);
      if (prediction) read.push(prediction);
    }
    yield read;
  }
}

async function* boundedLines(source: Readable): AsyncGenerator<string[]> {
  try {
    yield* lineGroups(source, UPLOADED_LINE.longest);
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new MalformedLine(error.line, `is longer than ${error.longest / 2 ** 20} MiB`);
  }
}

function readLine(task: AnsweredTask, text: string, number: number, dataset?: string): PredictionLine | null {
  const parsed = parseBounded(text, UPLOADED_LINE);
  if (!parsed.ok) throw new MalformedLine(number, parsed.why);
  const line = Line.safeParse(parsed.value);
  if (!line.success) {
    const { path, message } = line.error.issues[0]!;
    throw new MalformedLine(number, `is not {"dataset", "id", "prediction"}: ${path.join('.')} ${message}`.trimEnd());
  }
  const { id, perturbation } = line.data;
  const name = perturbation ? perturbedName(line.data.dataset, perturbation) : line.data.dataset;
  if (dataset !== undefined && name !== dataset) return null;

  const outcome = parseAnswer(task.output, line.data.prediction, task);
  if (!outcome.ok) throw new MalformedLine(number, `has a prediction that ${outcome.why}`);
  return { number, dataset: name, id, answer: outcome.answer };
}
