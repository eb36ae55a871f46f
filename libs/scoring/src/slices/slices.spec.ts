import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import fc from 'fast-check';
import type { Estimate } from '../estimate.js';
import { MetricAccumulator, type AccumulatorOptions, type ScoredExample } from '../metric-accumulator.js';
import { falseDiscoveries } from './screening.js';
import type { SliceEstimate } from './slice-spreads.js';

interface GoldenEstimate {
  slice?: string;
  value: number;
  low: number;
  high: number;
  standardError: number;
}
interface GoldenSpread {
  name: string;
  metric: string;
  examples: { gold: string[]; predicted: string; cluster?: number; match?: number; slices: string[] }[];
  values: Record<string, number>;
  n: Record<string, number>;
  groups: number | null;
  /** The estimate over all examples that are compared. */
  whole: GoldenEstimate;
  worst: GoldenEstimate;
  best: GoldenEstimate;
  gap: GoldenEstimate;
  chance: { mean: number; high: number };
  standingOut: string[];
}
interface Golden {
  spreads: GoldenSpread[];
  discoveries: { tails: number[]; found: boolean[] }[];
}

const golden = JSON.parse(readFileSync(new URL('../../golden/slices.json', import.meta.url), 'utf8')) as Golden;

function complete(examples: readonly ScoredExample[], options: Partial<AccumulatorOptions> = {}) {
  const accumulator = new MetricAccumulator({
    metrics: ['accuracy'],
    seed: 'slices',
    slices: [{ field: 'field' }],
    ...options,
  });
  for (const example of examples) accumulator.add(example);
  return accumulator.complete(() => Promise.resolve());
}

/** Right or wrong in three slices that differ by `step`. */
function threeSlices(count: number, step: number, seed: string): ScoredExample[] {
  const rng = seededRng(seed);
  return Array.from({ length: count }, (_, index) => {
    const slice = index % 3;
    const predicted = rng.next() < 0.5 + step * slice ? 'a' : 'b';
    return { gold: ['a'], predicted, slices: { field: [`slice ${slice}`] }, cluster: `cluster ${index >> 2}` };
  });
}

describe('the spread over slices equals the golden case', () => {
  it.each(golden.spreads)('$name', async (expected) => {
    const examples = expected.examples.map(({ gold, predicted, cluster, match, slices }) => ({
      gold,
      predicted,
      cluster: cluster === undefined ? null : String(cluster),
      slices: { field: slices },
      matches: { field: match === undefined ? null : String(match) },
    }));
    const slices = [{ field: 'field', ...(expected.groups !== null && { match: 'match' }) }];
    const { sliceSpreads, slices: scores, metrics } = await complete(examples, { metrics: [expected.metric], slices });
    const { worst, best, gap, chance, standingOut, matched, ...rest } = sliceSpreads['field']![expected.metric]!;

    expect(rest.slices).toBe(Object.keys(expected.values).length);
    expect([worst.slice, best.slice]).toEqual([expected.worst.slice, expected.best.slice]);
    for (const [estimate, reference] of [
      [worst, expected.worst],
      [best, expected.best],
      [gap, expected.gap],
    ] as const) {
      expectNear(estimate, reference);
    }
    expect(Math.abs(chance.mean / expected.chance.mean - 1)).toBeLessThan(0.05);
    expect(Math.abs(chance.high / expected.chance.high - 1)).toBeLessThan(0.08);
    expect([...standingOut].sort()).toEqual(expected.standingOut);
    if (expected.groups === null) {
      expect(matched).toBeUndefined();
      expectNear(metrics[expected.metric]!, expected.whole);
      const values = Object.keys(expected.values).map(
        (name) => scores['field']![name]!.metrics[expected.metric]!.value,
      );
      for (const [index, value] of Object.values(expected.values).entries())
        expect(values[index]).toBeCloseTo(value, 10);
      return;
    }
    expect(matched!.groups).toBe(expected.groups);
    const reference = Object.entries(expected.values).map(([name, value]) => [name, { n: expected.n[name], value }]);
    expect(matched!.values).toEqual(Object.fromEntries(reference));
  });
});

/** Equal in the value; 1000 resamples give the error to a few percent, and so the ends to a part of it. */
function expectNear(estimate: Estimate | SliceEstimate, reference: GoldenEstimate): void {
  expect(estimate.value).toBeCloseTo(reference.value, 10);
  expect(Math.abs(estimate.standardError! / reference.standardError - 1)).toBeLessThan(0.08);
  expect(Math.abs(estimate.low! - reference.low)).toBeLessThan(0.25 * reference.standardError);
  expect(Math.abs(estimate.high! - reference.high)).toBeLessThan(0.25 * reference.standardError);
}

describe('the spread over slices', () => {
  it('has worst, best and gap within their intervals, for any examples', async () => {
    const example = fc.record({ right: fc.boolean(), slice: fc.constantFrom('x', 'y', 'z'), cluster: fc.nat(30) });
    await fc.assert(
      fc.asyncProperty(fc.array(example, { minLength: 90, maxLength: 150 }), async (rows) => {
        const examples = rows.map(({ right, slice, cluster }) => ({
          gold: ['a'],
          predicted: right ? 'a' : 'b',
          cluster: String(cluster),
          slices: { field: [slice] },
        }));
        const spread = (await complete(examples)).sliceSpreads['field']?.['accuracy'];
        if (!spread) return new Set(rows.map(({ slice }) => slice)).size < 4;
        for (const { value, low, high } of [spread.worst, spread.best, spread.gap]) {
          expect(low).toBeLessThanOrEqual(value);
          expect(high).toBeGreaterThanOrEqual(value);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
        }
        expect(spread.worst.value + spread.gap.value).toBeCloseTo(spread.best.value, 12);
        expect(spread.chance.high).toBeGreaterThanOrEqual(0);
        return true;
      }),
      { numRuns: 20 },
    );
  });

  it('is the same to the bit for the same seed', async () => {
    const examples = threeSlices(240, 0.1, 'same');

    expect(JSON.stringify(await complete(examples))).toBe(JSON.stringify(await complete(examples)));
    expect(JSON.stringify((await complete(examples, { seed: 'other' })).sliceSpreads)).not.toBe(
      JSON.stringify((await complete(examples)).sliceSpreads),
    );
  });

  it('does not depend on the order of the slices', async () => {
    const examples = threeSlices(240, 0.1, 'order').map((example, index) => ({
      ...example,
      slices: { field: [...example.slices!['field']!, ...(index % 2 ? ['odd'] : [])] },
    }));
    const reversed = examples.map((example) => ({ ...example, slices: { field: example.slices.field.toReversed() } }));
    const first = { gold: ['a'], predicted: 'a', slices: { field: ['odd', 'slice 2'] } };

    expect((await complete(reversed)).sliceSpreads).toEqual((await complete(examples)).sliceSpreads);
    expect((await complete([first, ...reversed])).sliceSpreads).toEqual(
      (await complete([{ ...first, slices: { field: ['slice 2', 'odd'] } }, ...examples])).sliceSpreads,
    );
  });

  it('is none of a constant field, and of slices of fewer than 30 examples', async () => {
    const constant = threeSlices(120, 0.1, 'constant').map((row) => ({ ...row, slices: { field: ['all'] } }));
    const { sliceSpreads, resamples } = await complete(constant);

    expect(sliceSpreads).toEqual({});
    expect(Object.keys(resamples)).toEqual(['accuracy', 'right']);
    // two slices of 30, one of 29
    const small = threeSlices(89, 0.1, 'small');
    expect((await complete(small)).sliceSpreads['field']!['accuracy']!.slices).toBe(2);
    expect((await complete(small.slice(0, 87))).sliceSpreads).toEqual({});
  });

  it('finds nothing where chance alone made the slices, and the slice that is worse where one is', async () => {
    const even = await Promise.all(
      Array.from({ length: 20 }, (_, index) => complete(threeSlices(600, 0, `even ${index}`), { seed: String(index) })),
    );
    const beyond = even.filter(({ sliceSpreads }) => {
      const { gap, chance } = sliceSpreads['field']!['accuracy']!;
      return gap.value > chance.high;
    });
    // 5 percent of 20; more than 5 of them in one run of 3000
    expect(beyond.length).toBeLessThanOrEqual(5);

    const { sliceSpreads } = await complete(threeSlices(600, 0.2, 'uneven'));
    const { worst, gap, chance, standingOut } = sliceSpreads['field']!['accuracy']!;
    expect(worst.slice).toBe('slice 0');
    expect(gap.value).toBeGreaterThan(chance.high);
    expect(standingOut).toEqual(expect.arrayContaining(['slice 0', 'slice 2']));
  });

  it('claims no certainty of slices that are right throughout', async () => {
    const rows = threeSlices(180, 0, 'perfect').map((row, index) => ({
      ...row,
      predicted: index % 3 === 0 && index % 2 === 0 ? 'b' : 'a',
      cluster: null,
    }));
    const { worst, best, gap, standingOut } = (await complete(rows)).sliceSpreads['field']!['accuracy']!;

    // Clopper and Pearson, divided among the three slices: (0.025 / 3)^(1 / 60)
    expect(best).toMatchObject({ slice: 'slice 1', value: 1, high: 1 });
    expect(best.low).toBeCloseTo(0.9233, 4);
    expect(worst).toMatchObject({ slice: 'slice 0', value: 0.5 });
    expect(gap.low).toBeGreaterThan(0.2);
    expect(gap.high! - gap.low!).toBeGreaterThan(worst.high! - worst.low!);
    expect(standingOut).toContain('slice 0');
  });

  it('widens with clusters that are alike', async () => {
    const rng = seededRng('alike');
    const rows = Array.from({ length: 600 }, (_, index) => ({ index, cluster: Math.floor(index / 10) }));
    const rates = rows.map(({ cluster }) => (cluster % 2 ? 0.9 : 0.3));
    const example = ({ index, cluster }: (typeof rows)[number]) => ({
      gold: ['a'],
      predicted: rng.next() < rates[index]! ? 'a' : 'b',
      slices: { field: [cluster % 3 === 0 ? 'x' : 'y'] },
      cluster: String(cluster),
    });
    const clustered = rows.map(example);
    const width = async (of: readonly ScoredExample[]) => {
      const { low, high } = (await complete(of)).sliceSpreads['field']!['accuracy']!.gap;
      return high! - low!;
    };

    expect(await width(clustered)).toBeGreaterThan(
      1.4 * (await width(clustered.map((each) => ({ ...each, cluster: null })))),
    );
  });

  it('expects as large a gap by chance as clusters make where slices consist of whole clusters', async () => {
    // 40 clusters of 5 to 15 examples with rates of their own, each in one of four slices at random
    const nested = (seed: string): ScoredExample[] => {
      const rng = seededRng(seed);
      return Array.from({ length: 40 }).flatMap((_, cluster) => {
        const rate = 0.2 + 0.7 * rng.next();
        const slices = { field: [`slice ${rng.below(4)}`] };
        return Array.from({ length: 5 + rng.below(11) }, () => ({
          gold: ['a'],
          predicted: rng.next() < rate ? 'a' : 'b',
          slices,
          cluster: String(cluster),
        }));
      });
    };
    const runs = Array.from({ length: 60 }, (_, index) => `nested ${index}`);
    const spreads = await Promise.all(runs.map((seed) => complete(nested(seed), { seed })));
    const beyond = spreads.filter(({ sliceSpreads }) => {
      const { gap, chance } = sliceSpreads['field']!['accuracy']!;
      return gap.value > chance.high;
    });

    // 5 percent of 60; examples that move alone are beyond it in most runs
    expect(beyond.length).toBeLessThanOrEqual(8);
  });

  it('moves examples within a group that is one cluster', async () => {
    const rng = seededRng('paired');
    const rows = Array.from({ length: 240 }, (_, index) => ({
      gold: ['a'],
      predicted: rng.next() < 0.7 ? 'a' : 'b',
      slices: { field: [`slice ${index % 2}`] },
      matches: { field: `group ${index >> 1}` },
      cluster: `group ${index >> 1}`,
    }));
    const { gap, chance } = (await complete(rows, { slices: [{ field: 'field', match: 'match' }] })).sliceSpreads[
      'field'
    ]!['accuracy']!;

    expect(chance.mean).not.toBe(gap.value);
    expect(chance.high).toBeGreaterThan(chance.mean);
  });

  it('compares only groups that hold every slice equally often', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => {
      const group = index >> 1;
      // the second slice is missing in the groups below 20, where the first is always right
      const slice = index % 2 === 1 && group >= 20 ? 'second' : 'first';
      const right = group < 20 ? true : slice === 'second' || index % 4 !== 0;
      return {
        gold: ['a'],
        predicted: right ? 'a' : 'b',
        slices: { field: [slice] },
        matches: { field: group === 99 ? '' : `group ${group}` },
      };
    });
    const slices = [{ field: 'field', match: 'match' }];
    const {
      matched,
      worst,
      best,
      slices: compared,
    } = (await complete(rows, { slices })).sliceSpreads['field']!['accuracy']!;

    expect([compared, matched!.groups]).toEqual([2, 79]);
    expect(matched!.values).toEqual({ first: { n: 79, value: 39 / 79 }, second: { n: 79, value: 1 } });
    expect([worst.slice, best.slice]).toEqual(['first', 'second']);
    const none = rows.map((row, index) => ({ ...row, matches: { field: String(index) } }));
    expect((await complete(none, { slices })).sliceSpreads).toEqual({});
  });

  it('knows that chance within a group makes no gap where the group is answered alike', async () => {
    const rows = Array.from({ length: 240 }, (_, index) => {
      const group = Math.floor(index / 3);
      return {
        gold: ['a'],
        predicted: group % 3 === 0 ? 'a' : 'b',
        slices: { field: [`slice ${index % 3}`] },
        matches: { field: `group ${group}` },
      };
    });
    const matched = await complete(rows, { slices: [{ field: 'field', match: 'match' }] });
    const loose = await complete(rows);

    expect(matched.sliceSpreads['field']!['accuracy']!.chance).toEqual({ mean: 0, high: 0 });
    expect(loose.sliceSpreads['field']!['accuracy']!.chance.mean).toBeGreaterThan(0.05);
  });
});

describe("Benjamini and Hochberg's procedure", () => {
  it.each(golden.discoveries)('finds the same as adjusted p-values of $tails', ({ tails, found }) => {
    expect(falseDiscoveries(tails, 0.05)).toEqual(found);
  });

  it('rejects what any cut of the definition rejects', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 0.2, noNaN: true }), { minLength: 1, maxLength: 30 }), (tails) => {
        // the largest threshold t among the p-values with t ≤ 0.05 · #{p ≤ t} / m
        const holds = (cut: number) => cut <= (0.05 * tails.filter((tail) => tail <= cut).length) / tails.length;
        const cut = Math.max(-1, ...tails.filter(holds));
        expect(falseDiscoveries(tails, 0.05)).toEqual(tails.map((tail) => tail <= cut));
      }),
    );
  });

  it('finds nothing among nothing', () => {
    expect(falseDiscoveries([], 0.05)).toEqual([]);
  });
});
