import { type Answer } from '@assay/contracts';
import { type AnsweredExample } from '@assay/contracts/comparison';
import { type TaskDefinition, type TaskOutput } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { metricNamed } from '@assay/scoring/metrics';
import { answersAt, type BlobStore } from '@assay/storage';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow, datasetRowsAt } from '@assay/tasks/examples';
import { contextAt, isRight, labelsOf, rightness } from '../comparison/rightness.js';

type JudgedAnswer = Pick<AnsweredExample, 'answer' | 'right' | 'score' | 'probabilities'>;
type ShownExample = Pick<AnsweredExample, 'id' | 'inputs' | 'gold' | 'slices' | 'variant'>;

/** An example with the answers of several models. */
export interface AnsweredRow {
  readonly row: DatasetRow;
  /** By model. Null for an invalid answer that the task tolerated. */
  readonly answers: readonly (Answer | null)[];
}

/**
 * The maximum length in characters of the inputs on a page, as images are long. The example that
 * exceeds it is the last.
 */
const MOST_TEXT = 16_000_000;

/**
 * Returns the examples at the given positions, as many as fit on a page.
 * @param places ascending
 */
export async function answeredRowsAt(
  blobs: Pick<BlobStore, 'open' | 'path'>,
  definition: TaskDefinition,
  version: DatasetVersion,
  evaluations: readonly Pick<Evaluation, 'predictions'>[],
  places: readonly number[],
): Promise<readonly AnsweredRow[]> {
  if (places.length === 0) return [];
  const answers = await Promise.all(
    evaluations.map(async ({ predictions }) => answersAt(await blobs.path(predictions!), places)),
  );
  const found: AnsweredRow[] = [];
  let text = 0;
  for await (const row of datasetRowsAt(definition, blobs.open(version.content), places)) {
    found.push({ row, answers: answers.map((each) => each[found.length] ?? null) });
    text += row.instance.length;
    if (text > MOST_TEXT) break;
  }
  return found;
}

export const exampleView = ({ id, instance, gold, slices, variant }: DatasetRow): ShownExample => ({
  id,
  inputs: JSON.parse(instance) as Record<string, unknown>,
  gold: [...gold],
  slices: Object.fromEntries(Object.entries(slices).map(([field, values]) => [field, [...values]])),
  ...(variant && { variant }),
});

export function answerView(definition: TaskDefinition, row: DatasetRow, answer: Answer | null): JudgedAnswer {
  const { answer: text, ...given } = givenAnswer(definition.output, answer);
  const metric = rightness(definition);
  const score = scoreOf(definition, row, answer);
  return {
    answer: text,
    right: metric && isRight(metric, definition, row, answer),
    ...(score !== null && { score }),
    ...given,
  };
}

/** Returns an answer without its assessment. */
export const givenAnswer = (
  output: TaskOutput,
  answer: Answer | null,
): Pick<AnsweredExample, 'answer' | 'probabilities'> => ({
  answer: answer?.text ?? null,
  ...(answer?.probabilities && {
    probabilities: Object.fromEntries(labelsOf(output).map((label, place) => [label, answer.probabilities![place]!])),
  }),
});

/**
 * Returns the score of an answer by the task's performance metric. Null if that metric is not a
 * mean over examples, or is undefined for this example.
 */
function scoreOf(definition: TaskDefinition, { gold }: DatasetRow, answer: Answer | null): number | null {
  const metric = metricNamed(definition.performance, definition.output.type);
  if (metric.kind !== 'mean') return null;
  const score = metric.perExample(gold, answer?.text ?? null, answer?.probabilities ?? null, contextAt(definition));
  return Number.isFinite(score) ? score : null;
}
