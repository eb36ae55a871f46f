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
  const found = (await Array.fromAsync(clusteredRows(definition, open, repeats))).flat();
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
});
