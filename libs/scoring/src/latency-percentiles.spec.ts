import { describe, expect, it } from '@jest/globals';
import { latencyPercentiles, percentile } from './latency-percentiles.js';

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

  it('sorts numbers as numbers', () => {
    expect(percentile(Float64Array.from(samples(100)).sort(), 50)).toBe(50);
  });
});
