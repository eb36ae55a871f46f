import type { Answer } from '@assay/contracts';
import type { DatasetRow } from '@assay/tasks/examples';
import type { ScoredModel } from './scored-models.js';

export const LABELS = ['negative', 'positive'] as const;

/**
 * A task with two labels and the slicing field `source`. Its quota is too large for a test to
 * exhaust.
 */
export const SENTIMENT_TASK = {
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  slices: ['source'],
  quota: { perDay: 100, total: 100 },
} as const;

export interface SentimentExamples {
  readonly count: number;
  /** The number of examples with source "web", which come first. The others have "print". */
  readonly web: number;
  /** Returns further fields of example `n`. */
  readonly more?: (n: number) => object;
}

/** Returns the examples of a dataset as JSON Lines. Their labels alternate. */
export const sentimentLines = (dataset: string, { count, web, more }: SentimentExamples): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      id: `${dataset}-${n}`,
      text: `text ${n} of ${dataset}`,
      label: LABELS[(n + 1) % 2],
      ...more?.(n),
      source: n < web ? 'web' : 'print',
    }),
  ).join('\n');

/**
 * Returns the answers of a model that is correct where `isRight` is true, always with a confidence
 * of 75%. Undefined means no answer.
 */
export const answersWhere =
  (isRight: (index: number, dataset: string) => boolean | undefined): ScoredModel['answer'] =>
  (dataset: string, { index, gold }: DatasetRow): Answer | undefined => {
    const right = isRight(index, dataset);
    if (right === undefined) return undefined;
    const text = right === (gold[0] === 'positive') ? 'positive' : 'negative';
    return { text, probabilities: text === 'positive' ? [0.25, 0.75] : [0.75, 0.25] };
  };
