import { readFileSync } from 'node:fs';
import { seededRng, type Rng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quantile } from '../intervals/bootstrap.js';
import { twoSidedNormal } from '../intervals/normal.js';
import { jointRanks } from './joint-ranks.js';
import { drawNormal } from '../random-draws.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

const { normalTails } = JSON.parse(readFileSync(new URL('../../golden/board.json', import.meta.url), 'utf8')) as {
  normalTails: { z: number; p: number }[];
};

/** Draws around each score: `shared` is the error that all have in common, `own` what each has beside it. */
function drawsAround(scores: readonly number[], shared: number, own: number, rng: Rng, draws = 1000): Float64Array[] {
  const common = Float64Array.from({ length: draws }, () => shared * drawNormal(rng));
  return scores.map((score) => common.map((error) => score + error + own * drawNormal(rng)));
}

/** Step down over all open pairs, nothing left out: what `RankBounds` must equal. */
function plainBounds(scores: readonly number[], resamples: readonly (Float64Array | null)[], place: number): number[] {
  const draws = resamples.find((each) => each !== null)!.length;
  const centred = resamples.map((column) => {
    const values = column ?? new Float64Array(draws);
    const mean = values.reduce((sum, value) => sum + value, 0) / draws;
    return values.map((value) => value - mean);
  });
  const bonferroni = twoSidedPoint(0.1 / Math.max(1, scores.length - 1));
  let open = scores.flatMap((score, other) => {
    if (other === place) return [];
    const deviations = centred[place]!.map((value, draw) => value - centred[other]![draw]!);
    const error = Math.sqrt(deviations.reduce((sum, value) => sum + value * value, 0) / (draws - 1));
    const t = error < 1e-6 ? Infinity : Math.abs(scores[place]! - score) / error;
    return t > bonferroni ? [] : [{ other, t, sizes: deviations.map((value) => Math.abs(value) / error) }];
  });
  for (let round = 0; round < 2 && open.length > 0; round++) {
    const largest = Float64Array.from({ length: draws }, (_, draw) =>
      Math.max(...open.map(({ sizes }) => sizes[draw]!)),
    );
    const critical = quantile(largest.sort(), 0.9);
    open = open.filter(({ t }) => t <= critical);
  }
  const unsure = new Set(open.map(({ other }) => other));
  const above = scores.flatMap((score, other) => (score > scores[place]! ? [other] : []));
  const better = above.filter((other) => !unsure.has(other)).length;
  return [1 + better, 1 + new Set([...above, ...unsure]).size];
}

function twoSidedPoint(error: number): number {
  let [low, high] = [0, 40];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (twoSidedNormal(middle) > error) low = middle;
    else high = middle;
  }
  return high;
}

it.each(normalTails)('P(|Z| > $z) is $p', ({ z, p }) => {
  expect(twoSidedNormal(z) / p).toBeCloseTo(1, 12);
  expect(twoSidedNormal(-z)).toBe(twoSidedNormal(z));
});

describe('jointRanks', () => {
  const scores = [90, 60, 59.5, 59, 30];

  it('separates what is far apart and ties what is not', () => {
    const intervals = jointRanks({ scores, resamples: drawsAround(scores, 0, 1, seededRng('own')) });

    expect(intervals[0]).toEqual({ rankLow: 1, rankHigh: 1, first: 1, tie: 0 });
    expect(intervals[1]).toMatchObject({ rankLow: 2, rankHigh: 4, first: 0, tie: 2 });
    expect(intervals[3]).toMatchObject({ rankLow: 2, rankHigh: 4, tie: 0 });
    expect(intervals[4]).toMatchObject({ rankLow: 5, rankHigh: 5, tie: 0 });
  });

  it('is not blurred by an error that all models share', () => {
    const intervals = jointRanks({ scores, resamples: drawsAround(scores, 5, 0.05, seededRng('shared')) });

    expect(intervals.map(({ rankLow, rankHigh, tie }) => [rankLow, rankHigh, tie])).toEqual(
      scores.map((_, place) => [place + 1, place + 1, 0]),
    );
  });

  it('ranks copies of a model alike, and never takes them apart', () => {
    const [best, draws] = [70, drawsAround([70], 0, 1, seededRng('copies'))[0]!];
    const intervals = jointRanks({ scores: [best, best, 69.9], resamples: [draws, draws, draws.map((x) => x - 0.1)] });

    expect(intervals[0]).toMatchObject({ rankLow: 1, rankHigh: 1, first: 1, tie: 1 });
    expect(intervals[1]).toMatchObject({ rankLow: 1, rankHigh: 1, first: 1, tie: 0 });
    expect(intervals[2]).toMatchObject({ rankLow: 3, rankHigh: 3, first: 0 });
  });

  it('claims nothing of a place without draws, which still takes its place', () => {
    const [upper, lower] = drawsAround([60, 40], 0, 1, seededRng('unknown'));
    const intervals = jointRanks({ scores: [60, 50, 40], resamples: [upper!, null, lower!] });

    expect(intervals[1]).toEqual({ rankLow: null, rankHigh: null, first: null, tie: 0 });
    expect(intervals[2]).toMatchObject({ rankLow: 3, rankHigh: 3 });
    expect(jointRanks({ scores: [], resamples: [] })).toEqual([]);
    expect(jointRanks({ scores: [1], resamples: [null] })).toEqual([
      { rankLow: null, rankHigh: null, first: null, tie: 0 },
    ]);
  });

  it('asks more of a difference the more pairs it looks at (Holm)', () => {
    // neighbours 2.4 standard errors of their difference apart: p = 0.016, enough for one pair, not for the first of many
    const ladder = (length: number): number[] => Array.from({ length }, (_, place) => -place * 2.4 * Math.SQRT2);
    const tiesOf = (length: number): number[] =>
      jointRanks({ scores: ladder(length), resamples: drawsAround(ladder(length), 0, 1, seededRng('holm')) }).map(
        ({ tie }) => tie,
      );

    expect(tiesOf(2)).toEqual([0, 0]);
    expect(Math.max(...tiesOf(40))).toBe(1);
  });

  it('holds the rank, keeps within the board, and shows the first places alone', () => {
    const drawn = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(drawn, fc.string(), fc.integer({ min: 1, max: 10 }), (values, seed, places) => {
        const descending = values.toSorted((a, b) => b - a);
        const intervals = jointRanks(
          { scores: descending, resamples: drawsAround(descending, 1, 1, seededRng(seed), 40) },
          { places },
        );
        expect(intervals).toHaveLength(Math.min(places, values.length));
        for (const [place, { rankLow, rankHigh, tie }] of intervals.entries()) {
          const rank = descending.indexOf(descending[place]!) + 1;
          expect(rankLow).toBeGreaterThanOrEqual(1);
          expect(rankLow).toBeLessThanOrEqual(rank);
          expect(rankHigh).toBeGreaterThanOrEqual(rank);
          expect(rankHigh).toBeLessThanOrEqual(values.length);
          expect(place + tie).toBeLessThan(values.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts how often each was first, ties and outliers among them', () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant(1e6));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value), { minLength: 2, maxLength: 8 }), (draws) => {
        const intervals = jointRanks({
          scores: draws.map(() => 0),
          resamples: draws.map((each) => Float64Array.from(each)),
        });
        const best = [0, 1, 2].map((draw) => Math.max(...draws.map((each) => each[draw]!)));
        for (const [place, { first }] of intervals.entries()) {
          expect(first).toBe(best.filter((most, draw) => draws[place]![draw] === most).length / 3);
        }
      }),
    );
  });

  it('leaves a rank open as far as simultaneous comparisons do', () => {
    // five within a standard error, each of whom may be the best; one that is far below
    const close = [60, 59.8, 59.6, 59.4, 59.2, 40];
    const intervals = jointRanks({ scores: close, resamples: drawsAround(close, 3, 1, seededRng('close')) });

    expect(intervals.map(({ rankLow, rankHigh }) => [rankLow, rankHigh])).toEqual([
      [1, 5],
      [1, 5],
      [1, 5],
      [1, 5],
      [1, 5],
      [6, 6],
    ]);
  });

  it('gives the very bounds of all draws of all pairs', () => {
    const world = fc.record({
      count: fc.integer({ min: 1, max: 50 }),
      step: fc.constantFrom(0, 0.01, 0.05, 0.2),
      shared: fc.constantFrom(0, 1, 5),
      draws: fc.constantFrom(7, 40, 211),
      seed: fc.string(),
    });
    fc.assert(
      fc.property(world, ({ count, step, shared, draws, seed }) => {
        const descending = Array.from({ length: count }, (_, place) => 80 - step * place);
        const resamples: (Float64Array | null)[] = drawsAround(descending, shared, 0.5, seededRng(seed), draws);
        // one place is not known, and one moves as its neighbour does
        if (count > 5) resamples[3] = null;
        if (count > 5) resamples[2] = resamples[1]!.map((each) => each - step);
        const found = jointRanks({ scores: descending, resamples }, { places: 9 });
        for (const [place, { rankLow, rankHigh }] of found.entries()) {
          const expected = resamples[place] ? plainBounds(descending, resamples, place) : [null, null];
          expect([rankLow, rankHigh]).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('can look at the heads of groups alone', () => {
    const three = [60, 59.5, 59, 30, 29.9];
    const resamples = drawsAround(three, 0, 1, seededRng('groups'));
    const ties = (asking: 'rows' | 'groups') =>
      jointRanks({ scores: three, resamples }, { ties: asking }).map(({ tie }) => tie);

    expect(ties('rows')).toEqual([2, 1, 0, 1, 0]);
    expect(ties('groups')).toEqual([2, 0, 0, 1, 0]);
  });

  it('takes 400 places × 1000 draws', () => {
    const many = Array.from({ length: 400 }, (_, place) => 80 - 0.05 * place);
    const resamples = drawsAround(many, 1, 0.5, seededRng('many'));

    const rank = () => expect(jointRanks({ scores: many, resamples })).toHaveLength(200);
    expect(processorMilliseconds(rank, 8_000)).toBeLessThan(8_000);
  });
});
