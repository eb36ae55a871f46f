import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Board } from '../board/board.js';
import { drawGamma } from '../random-draws.js';
import { rankBoard } from '../board/ranking.js';
import type { BoardMetric } from '../board/utility.js';
import { weightStability } from './weight-stability.js';
import { prepareBoard } from '../../../../test/factories/models/ranked-rows.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

const metrics: readonly BoardMetric[] = ['a', 'b', 'c'].map((name) => ({
  name,
  unit: 'examples/s',
  direction: 'higher',
}));
const rates = { amrs: { a: 1, b: 1, c: 1 }, degenerate: null };
const boardOf = (rows: readonly (readonly (number | null)[])[]): Board =>
  prepareBoard(
    rows.map(([a, b, c], index) => ({ id: `m${index}`, metrics: { a, b, c } })),
    metrics,
    'a',
  );

describe('drawGamma', () => {
  it.each([0.05, 0.5, 1, 3.3, 40])('has mean and variance %d', (shape) => {
    const rng = seededRng(`gamma/${shape}`);
    const draws = Array.from({ length: 40_000 }, () => drawGamma(shape, rng));
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;

    expect(mean / shape).toBeCloseTo(1, 1);
    expect(Math.abs(mean - shape)).toBeLessThan(5 * Math.sqrt(shape / draws.length));
    // the variance of a variance takes the kurtosis, 3 + 6 / shape
    expect(Math.abs(variance / shape - 1)).toBeLessThan(5 * Math.sqrt((2 + 6 / shape) / draws.length));
  });
});

describe('weightStability', () => {
  it('is certain of what is better in everything', () => {
    const board = boardOf([
      [1, 1, 1],
      [3, 3, 3],
      [2, 3, 3],
    ]);

    expect(weightStability(board, { a: 1, b: 1, c: 1 }, rates, { seed: '' })).toEqual({
      first: 'm1',
      stays: 1,
      firsts: [{ id: 'm1', share: 1 }],
      draws: 1000,
    });
  });

  it('is the share of the beta distribution where two metrics pull apart', () => {
    // m0 is first where w_a > 0.5 under Beta(30, 20): SciPy's beta.sf(0.5, 30, 20) = 0.9238
    const board = boardOf([
      [2, 1, 0],
      [1, 2, 0],
    ]);
    const { first, stays, firsts } = weightStability(board, { a: 3, b: 2 }, rates, { seed: 'beta', draws: 20_000 });

    expect(first).toBe('m0');
    expect(Math.abs(stays! - 0.9238)).toBeLessThan(5 * Math.sqrt((0.924 * 0.076) / 20_000));
    expect(firsts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it('counts with the board’s own Dynascore, over all complete rows', () => {
    const value = fc.option(fc.integer({ min: 0, max: 9 }), { freq: 10 });
    const rows = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(rows, fc.string(), (table, seed) => {
        const board = boardOf(table);
        const weights = { a: 2, b: 1, c: 0 };
        const calibration = { amrs: { a: 1, b: 0.5, c: 0 }, degenerate: null };
        const result = weightStability(board, weights, calibration, { seed, draws: 20 });
        const { order, rank } = rankBoard(board, weights, calibration);
        expect(result.first).toBe(order.length === 0 ? null : board.ids[order[0]!]);
        expect(weightStability(board, weights, calibration, { seed, draws: 20 })).toEqual(result);
        // one draw around weights that hardly move is the board itself
        const still = weightStability(board, { a: 1, b: 0, c: 0 }, calibration, { seed, draws: 1 });
        const byA = rankBoard(board, { a: 1 }, calibration);
        const best = Array.from(byA.order).filter((_, place) => byA.rank[place] === 1);
        expect(still.firsts.map(({ id }) => id).sort()).toEqual(best.map((row) => board.ids[row]!).sort());
        expect(rank.length === 0).toBe(result.stays === null);
      }),
    );
  });

  it('takes 10,000 models × 6 metrics', () => {
    const rng = seededRng('many');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const many = prepareBoard(
      Array.from({ length: 10_000 }, (_, index) => ({
        id: String(index),
        metrics: Object.fromEntries(names.map((name) => [name, rng.next()])),
      })),
      names.map((name) => ({ name, unit: 'ratio', direction: 'higher' })),
      'a',
    );
    const ones = Object.fromEntries(names.map((name) => [name, 1]));

    const weighOften = () => {
      const { firsts } = weightStability(many, ones, { amrs: ones, degenerate: null }, { seed: '' });
      expect(firsts.length).toBeGreaterThan(1);
    };
    expect(processorMilliseconds(weighOften, 2_000)).toBeLessThan(2_000);
  });
});
