import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import fc from 'fast-check';
import { prepareBoard, type BoardRow } from './board.js';
import { descendingOrder } from './descending-order.js';
import { calibrate } from './dynascore.js';
import { independentRanks } from './independent-ranks.js';
import { rank, rankBoard } from './ranking.js';
import { toUtility, type BoardMetric } from './utility.js';

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
    expect(toUtility(accuracy, 0.57)).toBeCloseTo(57, 12);
    expect(toUtility(latency, 12)).toBe(-12);
    expect(toUtility({ name: 'throughput', unit: 'examples/s', direction: 'higher' }, 80)).toBe(80);
    expect(toUtility({ name: 'memory', unit: 'GiB', direction: 'lower', limit: 4 }, 1.5)).toBe(2.5);
  });
});

describe('descendingOrder', () => {
  it('orders like a stable comparison', () => {
    const values = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }).map(Number)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(values, (numbers) => {
        const expected = Array.from(numbers.keys()).sort((a, b) => {
          const [x, y] = [numbers[a]!, numbers[b]!];
          return x === y ? 0 : y > x ? 1 : -1;
        });
        expect(Array.from(descendingOrder(Float64Array.from(numbers)))).toEqual(expected);
      }),
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
