import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { descendingOrder } from './descending-order.js';
import { calibrate } from './dynascore.js';
import { independentRanks } from '../ranks/independent-ranks.js';
import { rankBoard } from './ranking.js';
import { utilityRule, type BoardMetric } from './utility.js';
import { prepareBoard, rank, type BoardRow } from '../../../../test/factories/models/ranked-rows.js';

const accuracy: BoardMetric = { name: 'accuracy', unit: 'ratio', direction: 'higher' };
const latency: BoardMetric = { name: 'latency_p95', unit: 'ms', direction: 'lower' };
const options = {
  metrics: [accuracy, latency],
  performance: 'accuracy',
  weights: { accuracy: 1 },
  amrs: 'median',
} as const;

describe('rank', () => {
  it('sorts by the Dynascore; equal ones share a rank and the next follows their number', () => {
    const rows = [0.5, 0.7, 0.7, 0.9].map((value, index) => ({ id: `m${index}`, metrics: { accuracy: value } }));

    expect(rank(rows, options).rows.map((row) => [row.id, row.rank])).toEqual([
      ['m3', 1],
      ['m1', 2],
      ['m2', 2],
      ['m0', 4],
    ]);
  });

  it('gives no rank to a model that lacks a weighted metric, whichever way is better', () => {
    const rows: BoardRow[] = [
      { id: 'whole', metrics: { accuracy: 0.1, latency_p95: 900 } },
      { id: 'other', metrics: { accuracy: 0.2, latency_p95: 950 } },
      { id: 'no latency', metrics: { accuracy: 0.99, latency_p95: null } },
      { id: 'nothing', metrics: {} },
    ];
    const board = rank(rows, { ...options, weights: { accuracy: 1, latency_p95: 1 } });

    expect(board.rows.map((row) => row.id).sort()).toEqual(['other', 'whole']);
    expect(board.incomplete).toEqual([
      { id: 'no latency', missing: ['latency_p95'] },
      { id: 'nothing', missing: ['accuracy', 'latency_p95'] },
    ]);
  });

  it('turns values into utilities', () => {
    expect(utilityRule(accuracy).utilityOf(0.57)).toBeCloseTo(57, 12);
    expect(utilityRule(latency).utilityOf(12)).toBe(-12);
    expect(utilityRule({ name: 'throughput', unit: 'examples/s', direction: 'higher' }).utilityOf(80)).toBe(80);
    expect(utilityRule({ name: 'memory', unit: 'GiB', direction: 'lower', limit: 4 }).utilityOf(1.5)).toBe(2.5);
  });
});

describe('descendingOrder', () => {
  const number = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }).map(Number));
  const compared = (numbers: readonly number[]): number[] =>
    Array.from(numbers.keys()).sort((a, b) => {
      const [x, y] = [numbers[a]!, numbers[b]!];
      return x === y ? 0 : y > x ? 1 : -1;
    });

  it('orders like a stable comparison', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), (numbers) => {
        expect(Array.from(descendingOrder(Float64Array.from(numbers)))).toEqual(compared(numbers));
      }),
    );
  });

  it('orders many like a stable comparison, those that differ in their last bits, in zeros and infinities too', () => {
    const near = fc.tuple(
      fc.constantFrom(1, -1, 48.5),
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom(2 ** -30, 2 ** -52),
    );
    const close = near.map(([value, steps, step]) => value * (1 + steps * step));
    const special = fc.constantFrom(0, -0, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE);
    const many = fc.array(fc.oneof(number, close, special), { minLength: 150, maxLength: 1500, size: 'max' });
    fc.assert(
      fc.property(many, fc.array(number, { minLength: 120, maxLength: 400, size: 'max' }), (numbers, fewer) => {
        expect(Array.from(descendingOrder(Float64Array.from(numbers)))).toEqual(compared(numbers));
        // in the room that the others were sorted in
        expect(Array.from(descendingOrder(Float64Array.from(fewer)))).toEqual(compared(fewer));
      }),
      { numRuns: 40 },
    );
  });
});

describe('rankBoard', () => {
  const cell = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }).map((steps) => steps / 40) },
    fc.constant(null),
  );
  const rows = fc.array(fc.record({ accuracy: cell, f1: cell, latency_p95: cell }), { maxLength: 300, size: 'max' });
  const weight = fc.constantFrom(0, 0.5, 1, 3);
  const choices = fc.array(fc.record({ accuracy: weight, f1: weight, latency_p95: weight }), {
    minLength: 1,
    maxLength: 5,
  });
  const metrics = [accuracy, { ...accuracy, name: 'f1' }, latency];
  const rates = { amrs: { accuracy: 1, f1: 2, latency_p95: 30 }, degenerate: null };

  it('ranks by the sums as they are, whatever weighed before', () => {
    fc.assert(
      fc.property(rows, choices, (given, weighings) => {
        const board = prepareBoard(
          given.map((values, row) => ({ id: `m${row}`, metrics: values })),
          metrics,
          'accuracy',
        );
        for (const weights of weighings.filter((each) => Object.values(each).some((one) => one > 0))) {
          const { order, dynascore, rank: ranks, coefficients } = rankBoard(board, weights, rates);
          const needed = metrics.flatMap(({ name }, column) =>
            weights[name as keyof typeof weights] > 0 || column === 0 ? [column] : [],
          );
          const utility = (row: number, column: number): number => board.utilities[row * metrics.length + column]!;
          const score = (row: number): number =>
            coefficients.reduce((sum, each, column) => (each > 0 ? sum + each * utility(row, column) : sum), 0);
          const expected = Array.from(board.ids.keys())
            .filter((row) => needed.every((column) => !Number.isNaN(utility(row, column))))
            .sort((a, b) => score(b) - score(a) || a - b);
          expect(Array.from(order)).toEqual(expected);
          expect(Array.from(dynascore)).toEqual(expected.map(score));
          expect(Array.from(ranks)).toEqual(
            expected.map((row) => 1 + expected.filter((other) => score(other) > score(row)).length),
          );
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('independentRanks', () => {
  const board = prepareBoard(
    [0.9, 0.6, 0.595, 0.59, 0.3].map((value, index) => ({
      id: `m${index}`,
      metrics: { accuracy: value },
      standardErrors: { accuracy: 0.01 },
    })),
    [accuracy],
    'accuracy',
  );
  const ranking = rankBoard(board, { accuracy: 1 }, calibrate(board, { accuracy: 1 }, 'median'));

  it('separates what is far apart and ties what is not', () => {
    const intervals = independentRanks(board, ranking, { seed: 'ranks' });

    expect(intervals[0]).toEqual({ rankLow: 1, rankHigh: 1, first: 1, tie: 0 });
    expect(intervals[1]).toMatchObject({ rankLow: 2, rankHigh: 4, first: 0, tie: 2 });
    expect(intervals[3]).toMatchObject({ rankLow: 2, rankHigh: 4, tie: 0 });
    expect(intervals[4]).toMatchObject({ rankLow: 5, rankHigh: 5, tie: 0 });
  });

  it('is the same for the same seed and contains the rank', () => {
    const rng = seededRng('models');
    const rows = Array.from({ length: 60 }, (_, index) => ({
      id: String(index),
      metrics: { accuracy: rng.next() },
      standardErrors: { accuracy: 0.05 * rng.next() },
    }));
    const many = prepareBoard(rows, [accuracy], 'accuracy');
    const order = rankBoard(many, { accuracy: 1 }, { amrs: { accuracy: 1 }, degenerate: null });
    const intervals = independentRanks(many, order, { seed: 'a' });

    expect(independentRanks(many, order, { seed: 'a' })).toEqual(intervals);
    for (const [place, { rankLow, rankHigh }] of intervals.entries()) {
      expect(rankLow!).toBeLessThanOrEqual(order.rank[place]!);
      expect(rankHigh!).toBeGreaterThanOrEqual(order.rank[place]!);
    }
  });

  it('claims nothing of a model whose errors are unknown', () => {
    const unknown = prepareBoard([{ id: 'a', metrics: { accuracy: 0.5 } }], [accuracy], 'accuracy');
    const order = rankBoard(unknown, { accuracy: 1 }, calibrate(unknown, { accuracy: 1 }, 'live'));

    expect(independentRanks(unknown, order, { seed: '' })).toEqual([
      { rankLow: null, rankHigh: null, first: null, tie: 0 },
    ]);
  });
});
