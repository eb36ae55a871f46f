import { seededRng, type Rng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { drawNormal } from '../random-draws.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';
import { pairedBounds } from './paired-bounds.js';
import { rankFamily } from './rank-family.js';

/** Draws around each score: `shared` is the error of all, `own` the additional error of each. */
function drawsAround(scores: readonly number[], shared: number, own: number, rng: Rng, draws = 1000): Float64Array[] {
  const common = Float64Array.from({ length: draws }, () => shared * drawNormal(rng));
  return scores.map((score) => common.map((error) => score + error + own * drawNormal(rng)));
}

const intervals = (input: Parameters<typeof rankFamily>[0]) =>
  rankFamily(input).ranks.map(({ rankLow, rankHigh }) => [rankLow, rankHigh]);

describe('rankFamily', () => {
  it('separates distant models and ties close ones', () => {
    const scores = [90, 60, 59.5, 59, 30];
    const family = rankFamily({ scores, resamples: drawsAround(scores, 0, 1, seededRng('own')) });
    expect(family.ranks).toEqual([
      { rankLow: 1, rankHigh: 1, couldBeFirst: true },
      { rankLow: 2, rankHigh: 4, couldBeFirst: false },
      { rankLow: 2, rankHigh: 4, couldBeFirst: false },
      { rankLow: 2, rankHigh: 4, couldBeFirst: false },
      { rankLow: 5, rankHigh: 5, couldBeFirst: false },
    ]);
    expect([family.isSeparated(1, 3), family.isSeparated(0, 1), family.isSeparated(2, 2)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('ignores an error that all models share', () => {
    const scores = [60, 59, 58];
    expect(intervals({ scores, resamples: drawsAround(scores, 5, 0.05, seededRng('shared')) })).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('steps down: a separated pair lowers the critical value of the others', () => {
    // 20 models far from each other, so that only the first pair stays open after the first round
    const scores = [1002.4 * Math.SQRT2, 1000 * Math.SQRT2, ...Array.from({ length: 18 }, (_, place) => -1000 * place)];
    const resamples = drawsAround(scores, 0, 1, seededRng('step down'));
    expect(intervals({ scores, resamples }).slice(0, 2)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const close = scores.map((score, place) => (place < 2 ? score : 999 * Math.SQRT2));
    expect(intervals({ scores: close, resamples: drawsAround(close, 0, 1, seededRng('close')) })[0]).toEqual([1, 20]);
  });

  it('gives all copies of a model one result, and counts their rows', () => {
    const scores = [70, 69.9, 40, 39.9, 10];
    const resamples = drawsAround(scores, 0, 0.5, seededRng('copies'));
    const family = rankFamily({ scores, resamples, copies: [7, 7, 3, 3, 1] });
    expect(family.ranks.map(({ rankLow, rankHigh }) => [rankLow, rankHigh])).toEqual([
      [1, 2],
      [1, 2],
      [3, 4],
      [3, 4],
      [5, 5],
    ]);
    expect([family.isSeparated(0, 1), family.isSeparated(1, 2), family.isSeparated(1, 3)]).toEqual([false, true, true]);
  });

  it('does not separate models by a difference of 0, and separates constants that differ', () => {
    const constant = Float64Array.from({ length: 100 }, () => 5);
    expect(intervals({ scores: [5, 5, 4], resamples: [constant, constant, constant.map(() => 4)] })).toEqual([
      [1, 2],
      [1, 2],
      [3, 3],
    ]);
  });

  it('states nothing about a model without draws, whose row still counts', () => {
    const [upper, lower] = drawsAround([60, 40], 0, 1, seededRng('unknown'));
    const { ranks } = rankFamily({ scores: [60, 50, 40], resamples: [upper!, null, lower!] });
    expect(ranks[1]).toEqual({ rankLow: null, rankHigh: null, couldBeFirst: null });
    expect(ranks[2]).toMatchObject({ rankLow: 3, rankHigh: 3 });
    expect(rankFamily({ scores: [], resamples: [] }).ranks).toEqual([]);
    expect(rankFamily({ scores: [1], resamples: [null] }).ranks).toEqual([
      { rankLow: null, rankHigh: null, couldBeFirst: null },
    ]);
  });

  it('leaves the worst rank open to all rows of the board for places tied with the last place', () => {
    const scores = [90, 60, 59.9];
    const resamples = drawsAround(scores, 0, 1, seededRng('more rows'));
    expect(intervals({ scores, resamples, ranked: 500 })).toEqual([
      [1, 1],
      [2, 500],
      [2, 500],
    ]);
  });

  it('uses exact bounds where it gets them: 100 and 99 of 100 could both be best', () => {
    const right = Float64Array.from({ length: 1000 }, () => 100);
    const rng = seededRng('one mistake');
    const wrong = right.map(() => {
      let mistakes = 0;
      for (let index = 0; index < 100; index++) if (rng.next() < 0.01) mistakes++;
      return 100 - mistakes;
    });
    const exactBounds = (one: number, other: number, error: number) => {
      const [low, high] = pairedBounds({ one: 1, other: 0, examples: 100 }, error);
      return one < other ? ([100 * low, 100 * high] as const) : ([-100 * high, -100 * low] as const);
    };
    const { ranks } = rankFamily({ scores: [100, 99], resamples: [right, wrong], exactBounds });
    expect(ranks.map(({ couldBeFirst }) => couldBeFirst)).toEqual([true, true]);
  });

  it('holds the ranks, agrees with itself, and does not depend on scale or offset', () => {
    const drawn = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(drawn, fc.string(), fc.constantFrom(1, 1000), (values, seed, scale) => {
        const scores = values.toSorted((a, b) => b - a);
        const resamples = drawsAround(scores, 1, 1, seededRng(seed), 60);
        const family = rankFamily({ scores, resamples });
        for (const [place, { rankLow, rankHigh, couldBeFirst }] of family.ranks.entries()) {
          const rank = scores.indexOf(scores[place]!) + 1;
          expect(rankLow).toBeLessThanOrEqual(rank);
          expect(rankHigh).toBeGreaterThanOrEqual(rank);
          expect(couldBeFirst).toBe(rankLow === 1);
          expect(rankHigh! - rankLow!).toBe(scores.filter((_, other) => !family.isSeparated(place, other)).length - 1);
          for (const [other, { rankLow: low }] of family.ranks.entries()) {
            expect(family.isSeparated(place, other)).toBe(family.isSeparated(other, place));
            // two separated rows never both claim the better place
            if (family.isSeparated(place, other) && other < place) expect(rankLow).toBeGreaterThan(low! - 1);
          }
        }
        const moved = rankFamily({
          scores: scores.map((score) => 8 + score * scale),
          resamples: resamples.map((column) => column.map((value) => 8 + value * scale)),
        });
        expect(moved.ranks).toEqual(family.ranks);
      }),
      { numRuns: 40 },
    );
  });

  it('equals the plain procedure over all pairs', () => {
    const world = fc.record({
      count: fc.integer({ min: 2, max: 12 }),
      step: fc.constantFrom(0, 0.2, 0.8, 2),
      draws: fc.constantFrom(40, 211),
      seed: fc.string(),
    });
    fc.assert(
      fc.property(world, ({ count, step, draws, seed }) => {
        const scores = Array.from({ length: count }, (_, place) => 80 - step * place);
        const resamples = drawsAround(scores, 1, 0.5, seededRng(seed), draws);
        const family = rankFamily({ scores, resamples });
        const apart = plainFamily(scores, resamples);
        for (let one = 0; one < count; one++) {
          for (let other = one + 1; other < count; other++) {
            expect(family.isSeparated(one, other)).toBe(apart.has(`${one} ${other}`));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('takes 200 places × 1000 draws', () => {
    const scores = Array.from({ length: 200 }, (_, place) => 80 - 0.05 * place);
    const resamples = drawsAround(scores, 1, 0.5, seededRng('many'));
    const rank = () => expect(rankFamily({ scores, resamples }).ranks).toHaveLength(200);
    expect(processorMilliseconds(rank, 4_000)).toBeLessThan(4_000);
  });
});

/** Steps down over all pairs, with every value computed from its definition. */
function plainFamily(scores: readonly number[], resamples: readonly Float64Array[]): ReadonlySet<string> {
  const draws = resamples[0]!.length;
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const pairs = scores.flatMap((score, one) =>
    scores.slice(one + 1).map((below, index) => {
      const other = one + 1 + index;
      const differences = resamples[one]!.map((value, draw) => value - resamples[other]![draw]!);
      const centre = mean(differences);
      const error = Math.sqrt(differences.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (draws - 1));
      const sizes = differences.map((value) => Math.abs(value - centre) / error);
      return { key: `${one} ${other}`, t: (score - below) / error, sizes };
    }),
  );
  let open = pairs;
  for (;;) {
    if (open.length === 0) break;
    const largest = Float64Array.from({ length: draws }, (_, draw) =>
      Math.max(...open.map(({ sizes }) => sizes[draw]!)),
    );
    const critical = Math.max(1.9599639845400545, largest.toSorted()[Math.ceil(0.95 * draws) - 1]!);
    const left = open.filter(({ t }) => t <= critical);
    if (left.length === open.length) break;
    open = left;
  }
  const stillOpen = new Set(open.map(({ key }) => key));
  return new Set(pairs.flatMap(({ key }) => (stillOpen.has(key) ? [] : [key])));
}
