import { type Rng, seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Comparison, comparePaired } from './compare-paired.js';
import { familyVerdicts, type TestedDifference } from './family.js';

const tested = (value: number, half: number | null, p: number | null): TestedDifference => ({
  difference: {
    value,
    low: half === null ? null : value - half,
    high: half === null ? null : value + half,
    standardError: null,
  },
  p,
});

describe('familyVerdicts', () => {
  it('requires more of each difference in a larger family', () => {
    expect(familyVerdicts([tested(0.05, 0.04, 0.03)])).toEqual([{ holm: 0.03, greater: 'a' }]);
    const three = [tested(0.05, 0.04, 0.03), tested(-0.09, 0.05, 0.01), tested(0.01, 0.05, 0.6)];
    expect(familyVerdicts(three)).toEqual([
      { holm: 0.06, greater: null },
      { holm: 0.03, greater: 'b' },
      { holm: 0.6, greater: null },
    ]);
  });

  it('finds nothing where p and interval disagree, or where either is missing', () => {
    const family = [tested(0.05, 0.06, 0.001), tested(0.05, null, 0.001), tested(0.05, 0.01, null), tested(0, 0, 1)];
    expect(familyVerdicts(family).map(({ greater }) => greater)).toEqual([null, null, null, null]);
    expect(familyVerdicts(family)[2]!.holm).toBeNull();
    expect(familyVerdicts([])).toEqual([]);
  });

  it('does not depend on the order, and turns round with the models', () => {
    const difference = fc.record({
      value: fc.double({ min: -1, max: 1, noNaN: true }),
      half: fc.double({ min: 0, max: 1, noNaN: true }),
      p: fc.option(fc.double({ min: 0, max: 0.2, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(difference, { maxLength: 8 }), (given) => {
        const verdicts = familyVerdicts(given.map(({ value, half, p }) => tested(value, half, p)));
        const reversed = familyVerdicts(given.toReversed().map(({ value, half, p }) => tested(-value, half, p)));
        const turned = { a: 'b', b: 'a' } as const;
        expect(reversed.toReversed()).toEqual(
          verdicts.map(({ holm, greater }) => ({ holm, greater: greater && turned[greater] })),
        );
      }),
    );
  });

  it('calls one of two equal models better in at most 5% of comparisons over many metrics and datasets', () => {
    const rng = seededRng('equal models');
    const trials = 300;
    let raw = 0;
    let adjusted = 0;
    for (let trial = 0; trial < trials; trial++) {
      const family = [0, 1, 2].flatMap((dataset) => equalModels(rng, `${trial}/${dataset}`));
      if (family.some(({ p }) => p! < 0.05)) raw++;
      if (familyVerdicts(family).some(({ greater }) => greater !== null)) adjusted++;
    }

    expect(raw / trials).toBeGreaterThan(0.1);
    // 5% and two standard errors of 300 trials
    expect(adjusted / trials).toBeLessThan(0.05 + 2 * Math.sqrt((0.05 * 0.95) / trials));
  });
});

/** Compares two equally good models on one dataset in two correlated metrics. */
function equalModels(rng: Rng, seed: string): Comparison[] {
  const n = 60;
  const ease = Array.from({ length: n }, () => rng.next());
  const right = () => Float64Array.from(ease, (each) => (rng.next() < 0.4 + 0.5 * each ? 1 : 0));
  const [a, b] = [right(), right()];
  const graded = (scores: Float64Array) => scores.map((score) => 0.8 * score + 0.2 * rng.next());
  return [
    comparePaired({ a, b, binary: true, clusters: null, seed }),
    comparePaired({ a: graded(a), b: graded(b), binary: false, clusters: null, seed }),
  ];
}
