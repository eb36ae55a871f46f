import { Readable } from 'node:stream';
import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { clusteredRows } from './identical-inputs.js';

const task = (more: Partial<TaskDefinitionInput> = {}) =>
  TaskDefinition.parse({
    slug: 'nli',
    name: 'NLI',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['yes', 'no'] },
    performance: 'accuracy',
    ...more,
  });

/** Returns the clusters of rows that are given as text and cluster, and how often they were read. */
async function clusters(
  rows: readonly (readonly [text: string, author?: string])[],
  { definition = task(), repeats = null }: { definition?: TaskDefinition; repeats?: number | null } = {},
) {
  const lines = rows.map(
    ([text, author], index) => `${JSON.stringify({ id: `e${index}`, text, author, label: 'yes' })}\n`,
  );
  let reads = 0;
  const open = () => {
    reads++;
    return Readable.from([Buffer.from(lines.join(''))]);
  };
  const found = (await Array.fromAsync(clusteredRows(definition, open, repeats, false))).flat();
  return { clusters: found.map(({ cluster }) => cluster), reads };
}

describe('clusteredRows', () => {
  it('puts identical inputs into one cluster, and leaves other examples independent', async () => {
    const [a, b, c, d] = (await clusters([['one'], ['two'], ['one'], ['one']])).clusters;
    expect(b).toBeNull();
    expect(a).not.toBeNull();
    expect([c, d]).toEqual([a, a]);
  });

  it('joins clusters of the task that have an example with the same inputs', async () => {
    const rows = [
      ['one', 'ann'],
      ['two', 'ann'],
      ['two', 'ben'],
      ['three', 'ben'],
      ['four', 'eve'],
      ['one', 'kim'],
      ['five', 'kim'],
    ] as const;
    const found = (await clusters(rows, { definition: task({ cluster: 'author' }) })).clusters;

    expect(new Set([0, 1, 2, 3, 5, 6].map((index) => found[index])).size).toBe(1);
    expect(found[4]).toBe('eve');
  });

  it('keeps the clusters of the task, and reads the dataset once, if no inputs repeat', async () => {
    const rows = [['one', 'ann'], ['two', 'ann'], ['three']] as const;
    const definition = task({ cluster: 'author' });
    expect(await clusters(rows, { definition, repeats: 0 })).toEqual({ clusters: ['ann', 'ann', null], reads: 1 });
    expect(await clusters(rows, { definition })).toEqual({ clusters: ['ann', 'ann', null], reads: 2 });
  });

  it('clusters a collected round by annotator and context, and joins contexts with identical inputs', async () => {
    const lines = [
      { id: 'e0', text: 'one', annotator: 'ann', context_id: 'c1', label: 'yes' },
      { id: 'e1', text: 'two', annotator: 'ben', context_id: 'c1', label: 'yes' },
      { id: 'e2', text: 'one', annotator: 'ben', context_id: 'c2', label: 'yes' },
      { id: 'e3', text: 'three', annotator: 'ann', context_id: 'c3', label: 'yes' },
      { id: 'e4', text: 'four', annotator: 'kim', context_id: null, label: 'yes' },
    ].map((line) => `${JSON.stringify(line)}\n`);
    const open = () => Readable.from([Buffer.from(lines.join(''))]);
    const rows = (await Array.fromAsync(clusteredRows(task(), open, null, true))).flat();

    expect(rows.map(({ cluster }) => cluster)).toEqual(['ann', 'ben', 'ben', 'ann', 'kim']);
    const contexts = rows.map(({ secondCluster }) => secondCluster);
    expect(contexts.slice(1, 3)).toEqual([contexts[0], contexts[0]]);
    expect(contexts.slice(3)).toEqual(['c3', null]);
    // what a model is sent does not name them
    expect(rows[0]!.instance).toBe('{"text":"one"}');
  });

  it('has the clusters of the task in a collected round, if it names a field', async () => {
    const line = { id: 'e0', text: 'one', annotator: 'ann', context_id: 'c1', source: 's', label: 'yes' };
    const open = () => Readable.from([Buffer.from(JSON.stringify(line))]);
    const [row] = (await Array.fromAsync(clusteredRows(task({ cluster: 'source' }), open, 0, true))).flat();
    expect([row!.cluster, row!.secondCluster]).toEqual(['s', undefined]);
  });

  it('does not take an input of the task for an annotator', async () => {
    const definition = task({ inputs: [{ name: 'annotator', type: 'text' }] });
    const line = { id: 'e0', annotator: 'a text', context_id: 'c1', label: 'yes' };
    const open = () => Readable.from([Buffer.from(JSON.stringify(line))]);
    const [row] = (await Array.fromAsync(clusteredRows(definition, open, 0, true))).flat();
    expect([row!.cluster, row!.secondCluster]).toEqual(['c1', undefined]);
  });
});
