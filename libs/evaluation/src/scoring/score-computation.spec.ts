import { Readable } from 'node:stream';
import { type Answer } from '@assay/contracts';
import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { type DatasetRow, datasetRows } from '@assay/tasks/examples';
import { ScoreComputation } from './score-computation.js';

const blobs = { put: () => Promise.resolve({ digest: 'd'.repeat(64), size: 0 }) };
const version = { digest: 'a'.repeat(64), transforms: null };

type Pair = readonly [gold: string, answer: Answer | null];

/** The values of a task's metrics, by name. */
async function valuesOf(
  task: Readonly<Record<string, unknown>>,
  pairs: readonly Pair[],
): Promise<Record<string, number>> {
  const definition = TaskDefinition.parse({
    slug: 'task',
    name: 'Task',
    inputs: [{ name: 'x', type: 'text' }],
    ...task,
  });
  const computation = new ScoreComputation(definition, version, blobs);
  const rows = pairs.map(([gold], index) => ({
    index,
    id: String(index),
    instance: '{}',
    gold: [gold],
    cluster: null,
    slices: {},
    matches: {},
    variant: null,
  }));
  await computation.add(
    rows,
    pairs.map(([, answer]) => answer),
  );
  const { metrics } = await computation.finish();
  return Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));
}

describe('the scores of a dataset', () => {
  it('have the metrics of several labels over the labels that occur', async () => {
    const task = {
      output: { name: 'topics', type: 'labels', labels: ['art', 'sport', 'war'] },
      performance: 'macro_f1',
      metrics: ['accuracy', 'micro_f1', 'jaccard'],
    };

    const values = await valuesOf(task, [
      ['["art","sport"]', { text: '["art","sport"]' }],
      ['["sport"]', { text: '["art"]' }],
      ['["art"]', null],
    ]);

    expect(values).toEqual({ macro_f1: (2 / 4 + 2 / 3) / 2, accuracy: 1 / 3, micro_f1: 4 / 7, jaccard: 1 / 3 });
  });

  it('have the metric of the positions of spans', async () => {
    const definition = TaskDefinition.parse({
      slug: 'task',
      name: 'Task',
      inputs: [{ name: 'context', type: 'text' }],
      output: { name: 'answer', type: 'span', of: 'context' },
      performance: 'squad_f1',
      metrics: ['span_f1'],
    });
    const lines = [1, 2, 3, 4].map(() => JSON.stringify({ context: 'a cat, a cat', answer: 'cat', answer_start: 9 }));
    const computation = new ScoreComputation(definition, version, blobs);
    const rows: DatasetRow[] = [];
    for await (const group of datasetRows(definition, Readable.from([Buffer.from(lines.join('\n'))]))) {
      rows.push(...group);
    }
    await computation.add(rows, [
      { text: 'cat', span: [9, 12] },
      { text: 'cat' },
      { text: 'a cat', span: [7, 12] },
      null,
    ]);
    const { metrics } = await computation.finish();

    expect(metrics['span_f1']!.value).toBeCloseTo((1 + 0 + 6 / 8 + 0) / 4, 12);
    // without articles the words are all the same
    expect(metrics['squad_f1']!.value).toBe(3 / 4);
  });

  it('have the metrics of probabilities, but of a model that gives none', async () => {
    const task = {
      output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
      performance: 'accuracy',
      metrics: ['brier', 'auroc'],
    };

    const sure = (text: string, probabilities: readonly number[]): Answer => ({ text, probabilities });
    expect(
      await valuesOf(task, [
        ['yes', sure('yes', [0.25, 0.75])],
        ['no', sure('no', [1, 0])],
      ]),
    ).toEqual({
      accuracy: 1,
      brier: 1 / 16,
      auroc: 1,
    });
    expect(
      await valuesOf(task, [
        ['yes', { text: 'yes' }],
        ['no', sure('no', [1, 0])],
      ]),
    ).toEqual({ accuracy: 1 });
  });

  it('have the metrics of texts and of numbers', async () => {
    const text = {
      output: { name: 'y', type: 'text' },
      performance: 'bleu',
      metrics: ['chrf', 'rouge_l', 'wer', 'cer'],
    };
    const number = {
      output: { name: 'y', type: 'number' },
      performance: 'rmse',
      metrics: ['mae', 'pearson', 'spearman'],
    };

    const words = 'the cat sat on the mat';
    expect(await valuesOf(text, [[words, { text: words }]])).toEqual({ bleu: 1, chrf: 1, rouge_l: 1, wer: 0, cer: 0 });
    expect(
      await valuesOf(number, [
        ['1', { text: '2' }],
        ['2', { text: '3' }],
      ]),
    ).toEqual({
      rmse: 1,
      mae: 1,
      pearson: 1,
      spearman: 1,
    });
  });
});
