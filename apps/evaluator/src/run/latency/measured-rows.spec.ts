import { seededRng } from '@assay/kernel';
import type { DatasetRow } from '@assay/tasks/examples';
import { describe, expect, it } from '@jest/globals';
import {
  differentRows,
  dividedRows,
  drawRows,
  type MeasuredRows,
  NEEDED_ROWS,
  timedWindows,
  variantRow,
} from './measured-rows.js';
import type { RowWindow } from '../data/row-windows.js';

const rowsOf = (count: number, text = 'x'): DatasetRow[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    id: `${index}`,
    instance: text,
    gold: [],
    cluster: null,
    slices: {},
    matches: {},
    variant: null,
  }));

async function* windows(...groups: DatasetRow[][]): AsyncGenerator<RowWindow> {
  for (const rows of groups) yield await Promise.resolve({ rows });
}

describe('drawRows', () => {
  it('draws a share from the whole dataset, and all of it where that is little', async () => {
    const drawn = await drawRows(windows(rowsOf(5_000), rowsOf(5_000)), 0.1, seededRng('a'));
    expect(drawn.length).toBeGreaterThan(850);
    expect(drawn.length).toBeLessThan(1_150);
    expect(await drawRows(windows(rowsOf(50)), 12, seededRng('a'))).toHaveLength(50);
  });

  it('stops before large inputs fill the memory', async () => {
    expect(await drawRows(windows(rowsOf(100, 'x'.repeat(10_000_000))), 1, seededRng('a'))).toHaveLength(7);
  });
});

describe('timedWindows', () => {
  it('ends with the rows, or when the time is over, and never without a window', async () => {
    const sizes = async (seconds: number): Promise<number[]> => {
      let now = 0;
      const all: number[] = [];
      for await (const { rows } of timedWindows(rowsOf(600), seconds, () => now)) {
        all.push(rows.length);
        now += 1_000;
      }
      return all;
    };
    expect(await sizes(60)).toEqual([256, 256, 88]);
    expect(await sizes(1)).toEqual([256, 256]);
    expect(await sizes(0)).toEqual([256]);
  });
});

describe('dividedRows', () => {
  const sampled = (count: number, instance = 'row') =>
    rowsOf(count).map((row) => ({ evaluation: 'one', row: { ...row, instance: `${instance} ${row.index}` } }));
  const variants = (count: number) =>
    Array.from({ length: count }, (_, index) => variantRow('one', `variant ${index}`));
  const sizes = ({ warmUp, latency, passes }: MeasuredRows) => [
    warmUp.length,
    latency.length,
    ...passes.map(({ length }) => length),
  ];
  const divided = (rows: Parameters<typeof dividedRows>[0]) => dividedRows(rows, seededRng('a'));

  it('sends each row once', () => {
    const { warmUp, latency, passes } = divided(sampled(5_000));
    const sent = [...warmUp, ...latency, ...passes.flat()].map(({ row }) => row.instance);
    expect(new Set(sent).size).toBe(5_000);
    expect(sent).toHaveLength(5_000);
  });

  it('fills each part where there are enough rows, and shares them otherwise', () => {
    expect(sizes(divided(sampled(NEEDED_ROWS)))).toEqual([641, 662, 512, 512, 512]);
    expect(sizes(divided(sampled(200)))).toEqual([45, 64, 91]);
    expect(sizes(divided(sampled(20)))).toEqual([4, 8, 8]);
    expect(sizes(divided(sampled(1)))).toEqual([1, 0, 0]);
  });

  it('warms the model up with variants first', () => {
    const { warmUp } = divided([...sampled(NEEDED_ROWS - 100), ...variants(100)]);
    expect(warmUp.filter(({ row }) => row.instance.startsWith('variant'))).toHaveLength(100);
  });

  it('drops rows that are equal to others', () => {
    expect(differentRows([...sampled(3), ...sampled(5)])).toHaveLength(5);
  });
});
