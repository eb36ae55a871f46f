import type { Trend } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { trendLines } from './trend-chart.js';

const round = (names: readonly string[]) => ({
  models: names.map((name, index) => ({ rank: index + 1, model: { id: name, name, owner: 'ada' }, value: null })),
});
const trend = { rounds: [round(['a', 'b']), round(['c', 'a'])] } as unknown as Trend;

describe('models over rounds', () => {
  it('stand in the order of the newest round, those of older ones after them', () =>
    expect(trendLines(trend, 7).map(({ id }) => id)).toEqual(['c', 'a', 'b']));

  it('have a gap where they were not among the top', () =>
    expect(trendLines(trend, 7).map(({ points }) => points.map((point) => point?.rank ?? null))).toEqual([
      [null, 1],
      [1, 2],
      [2, null],
    ]));

  it('are no more than can be told apart', () => expect(trendLines(trend, 2)).toHaveLength(2));
});
