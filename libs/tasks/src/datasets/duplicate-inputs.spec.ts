import { Readable } from 'node:stream';
import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { readUploaded } from '../examples/example.js';
import { SeenInputs } from './duplicate-inputs.js';

const TASK = TaskDefinition.parse({
  slug: 'nli',
  name: 'NLI',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['yes', 'no'] },
  performance: 'accuracy',
});

type Row = readonly [id: string, text: string, label: string | readonly string[]];
const records = (rows: readonly Row[]) => rows.map(([id, text, label]) => ({ id, text, label }));

function seen(rows: readonly Row[]): SeenInputs {
  const inputs = new SeenInputs(TASK);
  for (const [place, record] of records(rows).entries()) {
    const outcome = readUploaded(TASK, record, place + 1);
    if (!outcome.ok) throw new Error(outcome.why);
    inputs.add(outcome.example);
  }
  return inputs;
}

const other = (name: string, rows: readonly Row[]) => ({
  name,
  version: 2,
  open: () =>
    Readable.from([
      Buffer.from(
        records(rows)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      ),
    ]),
});

describe('identical inputs', () => {
  it('within an upload are counted, and those with other gold are named first', async () => {
    const inputs = seen([
      ['a', 'one', 'yes'],
      ['b', 'one', 'yes'],
      ['c', 'two', 'no'],
      ['d', 'two', 'yes'],
      ['e', 'three', ['yes', 'no']],
      ['f', 'three', ['no', 'yes']],
    ]);

    expect(inputs.repeats).toBe(3);
    expect(await inputs.report([])).toEqual({
      examples: 3,
      conflicting: 1,
      first: [
        { id: 'd', other: 'c', gold: ['yes'], otherGold: ['no'] },
        { id: 'b', other: 'a' },
        { id: 'f', other: 'e' },
      ],
      elsewhere: [],
      sentences: [
        '3 examples have the inputs of an earlier example; 1 of them with other gold, for example: d has "yes", c has "no".',
      ],
    });
  });

  it('in other datasets of the task are found in each of them', async () => {
    const inputs = seen([
      ['a', 'one', 'yes'],
      ['b', 'two', 'no'],
    ]);
    const report = await inputs.report([
      other('round-1', [
        ['x', 'one', 'no'],
        ['y', 'four', 'no'],
      ]),
      other('static', [['z', 'five', 'yes']]),
    ]);

    expect(report).toMatchObject({
      examples: 0,
      elsewhere: [
        {
          dataset: 'round-1',
          version: 2,
          examples: 1,
          conflicting: 1,
          first: [{ id: 'a', other: 'x', gold: ['yes'], otherGold: ['no'] }],
        },
      ],
      sentences: [
        'One example has inputs of the dataset "round-1"; 1 of them with other gold, for example: a has "yes", x has "no".',
      ],
    });
  });

  it('are not looked for in a dataset that cannot be read', async () => {
    const unreadable = { name: 'old', version: 1, open: () => Readable.from([Buffer.from('{"text": 1}\n')]) };
    expect(await seen([['a', 'one', 'yes']]).report([unreadable])).toMatchObject({ elsewhere: [], sentences: [] });
  });
});
