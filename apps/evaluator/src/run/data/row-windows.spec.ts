import { seededRng } from '@assay/kernel';
import type { InputRow } from '../../gateway/leased-run.js';
import { describe, expect, it } from '@jest/globals';
import { rowWindows, shuffled, WINDOW_ROWS } from './row-windows.js';

const row = (index: number, instance = '{}'): InputRow => ({ index, instance });

async function sizes(rows: readonly InputRow[]): Promise<number[]> {
  const found: number[] = [];
  for await (const window of rowWindows(chunks(rows))) found.push(window.rows.length);
  return found;
}

async function* chunks(rows: readonly InputRow[]): AsyncGenerator<InputRow[]> {
  for (let start = 0; start < rows.length; start += 1000) yield await Promise.resolve(rows.slice(start, start + 1000));
}

describe('rowWindows', () => {
  it('cuts a dataset by rows', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index));

    expect(await sizes(rows)).toEqual([WINDOW_ROWS, WINDOW_ROWS, 20_000 - 2 * WINDOW_ROWS]);
  });

  it('cuts sooner where the rows are large', async () => {
    const image = 'x'.repeat(10_000_000);

    expect(await sizes(Array.from({ length: 9 }, (_, index) => row(index, image)))).toEqual([4, 4, 1]);
  });
});

describe('shuffled', () => {
  it('gives every number once, in an order that the seed decides', () => {
    const order = shuffled(1000, seededRng('a'));

    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(order).toEqual(shuffled(1000, seededRng('a')));
    expect(order).not.toEqual(shuffled(1000, seededRng('b')));
  });
});
