import { readFileSync } from 'node:fs';
import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { joinedBins, latencyPercentiles, percentile, type LatencyPercentile } from './latency-percentiles.js';

const golden = JSON.parse(readFileSync(new URL('../../golden/latency.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly {
    readonly count: number;
    readonly percentile: number;
    readonly value: number;
    readonly low: number;
  }[];
};

const samples = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);

describe('latencyPercentiles', () => {
  it.each(golden.cases)('equals LoadGen for p$percentile of $count samples', ({ count, percentile: p, value, low }) => {
    const found = percentile(Float64Array.from(samples(count)).sort(), p as LatencyPercentile);
    // the samples are 1, 2, …: a place from 0 has the value place + 1
    expect(found).toEqual({ low: low + 1, value: value + 1 });
  });

  it.each([
    [63, ['p50', 'p90', 'p95', 'p99']],
    [64, ['p95', 'p99']],
    [129, ['p95', 'p99']],
    [130, ['p99']],
    [661, ['p99']],
    [662, []],
    [0, ['p50', 'p90', 'p95', 'p99']],
  ])('of %d samples lack those that need more', (count, lacking) => {
    const found = latencyPercentiles(samples(count));
    expect(found.count).toBe(count);
    expect((['p50', 'p90', 'p95', 'p99'] as const).filter((name) => found[name] === null)).toEqual(lacking);
  });

  it.each([
    [50, 64],
    [90, 64],
    [95, 130],
    [99, 662],
  ] as const)('p%d of %d samples are rarely below the true one, and their interval holds it', (p, count) => {
    // the plain p90 of 64 samples is above the true one in 47% only
    const rng = seededRng(`latency p${p}`);
    const truth = -Math.log(1 - p / 100);
    let [below, outside] = [0, 0];
    for (let trial = 0; trial < 1_000; trial++) {
      const sorted = Float64Array.from({ length: count }, () => -Math.log(1 - rng.next())).sort();
      const { low, value } = percentile(sorted, p)!;
      if (value < truth) below++;
      if (value < truth || low > truth) outside++;
    }
    expect(below / 1_000).toBeLessThan(0.02);
    expect(outside / 1_000).toBeLessThan(0.06);
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
    expect(percentile(Float64Array.from(samples(100)).sort(), 50)).toEqual({ low: 41, value: 64 });
  });
});
