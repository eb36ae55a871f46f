import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Board } from './board.js';
import { paretoFront } from './pareto-front.js';
import type { BoardMetric } from './utility.js';
import { prepareBoard } from '../../../../test/factories/models/ranked-rows.js';

const metrics: readonly BoardMetric[] = [
  { name: 'accuracy', unit: 'ratio', direction: 'higher' },
  { name: 'latency_p95', unit: 'ms', direction: 'lower' },
  { name: 'memory', unit: 'GiB', direction: 'lower', limit: 4 },
];
type Row = readonly (number | null)[];
const boardOf = (rows: readonly Row[]): Board =>
  prepareBoard(
    rows.map((row, index) => ({
      id: String(index),
      metrics: Object.fromEntries(metrics.map(({ name }, column) => [name, row[column] ?? null])),
    })),
    metrics,
    'accuracy',
  );

describe('paretoFront', () => {
  it('keeps what nothing else beats in all, each metric in its own direction', () => {
    const board = boardOf([
      [0.9, 100, 3],
      [0.8, 50, 3],
      [0.7, 60, 1],
      [0.8, 50, 2],
    ]);

    expect(Array.from(paretoFront(board, ['accuracy', 'latency_p95']))).toEqual([0, 1, 3]);
    expect(Array.from(paretoFront(board, ['accuracy', 'latency_p95', 'memory']))).toEqual([0, 2, 3]);
  });

  it('keeps no row that lacks a metric, however good the others are', () => {
    const board = boardOf([
      [1, null, 1],
      [0.5, 10, 1],
    ]);

    expect(Array.from(paretoFront(board, ['accuracy', 'latency_p95']))).toEqual([1]);
    expect(Array.from(paretoFront(board, ['accuracy', 'memory']))).toEqual([0]);
  });

  it('holds exactly the rows that no other dominates', () => {
    const value = fc.option(fc.integer({ min: 0, max: 6 }), { freq: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value), { maxLength: 40 }), (rows) => {
        const names = metrics.map(({ name }) => name);
        const isWhole = (row: Row): row is readonly number[] => row.every((each) => each !== null);
        const beats = (a: readonly number[], b: readonly number[]): boolean =>
          a[0]! >= b[0]! && a[1]! <= b[1]! && a[2]! <= b[2]! && (a[0] !== b[0] || a[1] !== b[1] || a[2] !== b[2]);
        const expected = Array.from(rows.entries())
          .filter(([, row]) => isWhole(row) && !rows.some((other) => isWhole(other) && beats(other, row)))
          .map(([index]) => index);
        expect(Array.from(paretoFront(boardOf(rows), names))).toEqual(expected);
      }),
    );
  });

  it.each([
    [['accuracy'], 'too_few_metrics'],
    [['accuracy', 'accuracy'], 'too_few_metrics'],
    [['accuracy', 'speed'], 'unknown_metric'],
  ])('refuses %j', (names, code) => {
    expect(() => paretoFront(boardOf([]), names)).toThrow(expect.objectContaining({ kind: 'invalid', code }));
  });
});
