import { describe, expect, it } from '@jest/globals';
import { joinedBins, latencyPercentiles, percentile } from './latency-percentiles.js';

const samples = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);

describe('latencyPercentiles', () => {
  it.each([
    [63, { p50: null, p90: null, p95: null, p99: null }],
    [64, { p50: 32, p90: 58, p95: null, p99: null }],
    [129, { p95: null }],
    [130, { p95: 124, p99: null }],
    [661, { p99: null }],
    [662, { p50: 331, p99: 656 }],
    [1000, { p50: 500, p90: 900, p95: 950, p99: 990 }],
    [0, { p50: null }],
  ])('of %d samples are those that so many can tell', (count, expected) => {
    expect(latencyPercentiles(samples(count))).toMatchObject({ count, ...expected });
  });

  it('have every sample in one bin of a scale that is the same for all models', () => {
    const { bins } = latencyPercentiles(samples(100));
    expect(bins.reduce((sum, { n }) => sum + n, 0)).toBe(100);
    // four bins an octave: from 64 ms on they hold 12, 14, 17
    const from64 = bins.filter(({ low }) => low >= 64);
    expect(from64.map(({ low, n }) => [low, n])).toEqual([
      [64, 13],
      [76.1093, 14],
      [90.5097, 10],
    ]);
    expect(from64.map(({ high }) => high)).toEqual([76.1093, 90.5097, 107.635]);
    expect(latencyPercentiles(samples(63)).bins).toEqual([]);
    expect(latencyPercentiles([0, ...samples(63)]).bins[0]).toMatchObject({ n: 1 });
  });

  it('have their bins joined over measurements, in their order', () => {
    const [one, other] = [
      [{ low: 2, high: 4, n: 3 }],
      [
        { low: 1, high: 2, n: 5 },
        { low: 2, high: 4, n: 1 },
      ],
    ];
    expect(joinedBins([one, other])).toEqual([
      { low: 1, high: 2, n: 5 },
      { low: 2, high: 4, n: 4 },
    ]);
    expect(joinedBins([])).toEqual([]);
  });

  it('sorts numbers as numbers', () => {
    expect(percentile(Float64Array.from(samples(100)).sort(), 50)).toBe(50);
  });
});
