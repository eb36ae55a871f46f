import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { PARITY_TASK } from '../factories/models/parity-task.js';

/**
 * The number of examples by dataset. They are few, so that a run is short, but several batches
 * each, so that a run can be interrupted in the middle.
 */
export const DATASETS = { first: 300, second: 200 } as const;

export const parity = {
  slug: 'parity',
  ...PARITY_TASK,
  limits: { memory: '160MiB', evaluationSeconds: 300 },
  quota: { perDay: 10_000, total: 10_000 },
} as const satisfies TaskDefinitionInput;

const textOf = (dataset: string, index: number): string => `${dataset} ${index}${'x'.repeat(index % 17)}`;

/** Returns examples as JSON Lines. Every fourth gold label is wrong. */
export function parityExamples(dataset: string, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const text = textOf(dataset, index);
    const isEven = (text.length % 2 === 0) !== (index % 4 === 0);
    return `${JSON.stringify({ id: index, text, label: isEven ? 'even' : 'odd' })}\n`;
  }).join('');
}

/**
 * Returns a predictions file. The set bits of `number` select which of the first 30 answers of each
 * dataset are wrong, so every number gives another file.
 * @param bytes The minimum size. The actual size is always even.
 */
export function parityPredictions(number: number, bytes = 0): Buffer {
  const lines = Object.entries(DATASETS).flatMap(([dataset, size]) =>
    Array.from({ length: size }, (_, index) => {
      const isRight = index >= 30 || ((number >> index) & 1) === 0;
      const isEven = (textOf(dataset, index).length % 2 === 0) === isRight;
      return JSON.stringify({ dataset, id: String(index), prediction: isEven ? 'even' : 'odd' });
    }),
  );
  const padding = ' '.repeat(bytes / lines.length);
  const text = lines.map((line) => `${line}${padding}\n`).join('');
  return Buffer.from(text.length % 2 === 0 ? text : `${text}\n`);
}
