import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { grouped } from './storable-lines.js';

const sizes = async (records: readonly object[], size: number): Promise<number[]> => {
  const found: number[] = [];
  for await (const group of grouped(Readable.from(records), size)) found.push(group.length);
  return found;
};

describe('lines in groups', () => {
  it('are so many, and the rest', async () => {
    expect(await sizes(Array(7).fill({ text: 'a' }), 3)).toEqual([3, 3, 1]);
    expect(await sizes([], 3)).toEqual([]);
  });

  it('are fewer where they are heavy, so that none is more than memory or the database takes', async () => {
    const image = { content: { image: { b64: 'A'.repeat(3 * 2 ** 20) } } };
    expect(await sizes(Array(7).fill(image), 1000)).toEqual([3, 3, 1]);
  });
});
