import { Readable } from 'node:stream';
import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { datasetRows, datasetRowsAt, type DatasetRow, spansOf } from './dataset-rows.js';

const task = TaskDefinition.parse({
  slug: 'nli',
  name: 'NLI',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['yes', 'no'] },
  performance: 'accuracy',
  slices: ['tags', { field: 'gender', match: 'template' }],
  cluster: 'context',
});

async function read(text: string, chunk = 7): Promise<DatasetRow[]> {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  );
  const rows: DatasetRow[] = [];
  for await (const group of datasetRows(task, Readable.from(parts))) rows.push(...group);
  return rows;
}

const line = (id: string, more: object = {}): string =>
  JSON.stringify({ id, hypothesis: 'größer', label: 'yes', context: 'c', secret: 'x', ...more });

describe('datasetRows', () => {
  it('reads lines however the bytes are cut, and keeps ids and labels out of what is sent', async () => {
    const rows = await read(
      `${line('a', { tags: ['t', 't', ''], gender: 'f', template: 7 })}\n${line('b', { label: ['yes', 'no'] })}`,
    );

    expect(rows).toEqual([
      {
        index: 0,
        id: 'a',
        instance: '{"context":"c","hypothesis":"größer"}',
        gold: ['yes'],
        cluster: 'c',
        slices: { tags: ['t'], gender: ['f'] },
        matches: { gender: '7' },
        variant: null,
      },
      expect.objectContaining({
        index: 1,
        id: 'b',
        gold: ['yes', 'no'],
        slices: { tags: [], gender: [] },
        matches: { gender: null },
      }),
    ]);
  });

  it('says where correct spans stand: at their offsets, or where they first occur', async () => {
    const span = TaskDefinition.parse({
      slug: 'span',
      name: 'Span',
      inputs: [{ name: 'context', type: 'text' }],
      output: { name: 'answer', type: 'span', of: 'context' },
      performance: 'squad_f1',
      metrics: ['span_f1'],
    });
    const context = '😀 a cat, a cat';
    const lines = [
      { context, answer: ['cat', 'a cat'], answer_start: [11, 2] },
      { context, answer: 'cat', answer_start: 11 },
      { context, answer: ['cat', 'dog'], answer_start: [[4, 11], []] },
      { context, answer: '' },
      { context, answer: 'cat', answer_start: 11, input_id: 'x', transform: 'case' },
    ];
    const source = Readable.from([Buffer.from(lines.map((each) => JSON.stringify(each)).join('\n'))]);
    const rows: DatasetRow[] = [];
    for await (const group of datasetRows(span, source)) rows.push(...group);

    expect(rows.map(({ passage }) => passage!.gold)).toEqual([
      [
        [11, 14],
        [2, 7],
      ],
      [[11, 14]],
      [[4, 7], [11, 14], null],
      [null],
      [[4, 7]],
    ]);
    expect(spansOf(rows[0]!, { text: 'cat' })).toEqual({ gold: rows[0]!.passage!.gold, predicted: [4, 7] });
    expect(spansOf(rows[0]!, { text: 'cat', span: [11, 14] })!.predicted).toEqual([11, 14]);
    expect(spansOf(rows[0]!, { text: 'dog' })!.predicted).toBeNull();
    expect(spansOf(rows[0]!, null)!.predicted).toBeNull();
    expect(spansOf({}, { text: 'cat' })).toBeUndefined();
  });

  it('names the line that it cannot read', async () => {
    await expect(read(`${line('a')}\n{"id":`)).rejects.toThrow('line 2 is not valid JSON');
    await expect(read(line('a', { context: 1 }))).rejects.toThrow('line 1 "context" is not text');
  });
});

describe('datasetRowsAt', () => {
  it('reads the rows at some places, and nothing of the others', async () => {
    const text = [line('a'), 'no JSON', line('c'), line('d'), 'no JSON'].join('\n');
    const rows: DatasetRow[] = [];
    for await (const row of datasetRowsAt(task, Readable.from([Buffer.from(text)]), [0, 2, 3])) rows.push(row);
    expect(rows.map(({ index, id }) => [index, id])).toEqual([
      [0, 'a'],
      [2, 'c'],
      [3, 'd'],
    ]);
  });
});
