import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { twoSidedT } from '../intervals/student-t.js';
import { familyVerdicts } from './family.js';
import { clusteredError } from '../intervals/bell-mccaffrey.js';
import { comparePaired, mcnemarMidP } from './compare-paired.js';
import { tangoInterval } from './tango.js';

interface Golden {
  readonly tango: { onlyA: number; onlyB: number; n: number; low: number; high: number }[];
  readonly clustered: {
    differences: number[];
    clusters: number[];
    mean: number;
    standardError: number;
    freedom: number;
    low: number;
    high: number;
    p: number;
  }[];
  readonly tails: { t: number; freedom: number; p: number }[];
}

const golden = JSON.parse(readFileSync(new URL('../../golden/comparison.json', import.meta.url), 'utf8')) as Golden;

describe('Tango’s score interval', () => {
  it.each(golden.tango)('of $onlyA against $onlyB in $n equals SciPy', ({ onlyA, onlyB, n, low, high }) => {
    const found = tangoInterval(onlyA, onlyB, n);
    expect(found.low).toBeCloseTo(low, 7);
    expect(found.high).toBeCloseTo(high, 7);
  });

  it('equals the published interval for 1 against 7 in 21 (Fagerland, Lydersen and Laake 2014)', () => {
    const { low, high } = tangoInterval(1, 7, 21);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['-0.517', '-0.026']);
  });

  it('is symmetric, contains the difference, lies in [-1, 1] and has a positive width', () => {
    const table = fc
      .tuple(fc.nat(60), fc.nat(60), fc.nat(60))
      .filter(([onlyA, onlyB, rest]) => onlyA + onlyB + rest > 0);
    fc.assert(
      fc.property(table, ([onlyA, onlyB, rest]) => {
        const n = onlyA + onlyB + rest;
        const there = tangoInterval(onlyA, onlyB, n);
        const back = tangoInterval(onlyB, onlyA, n);
        const value = (onlyA - onlyB) / n;
        expect(back.low).toBeCloseTo(-there.high, 12);
        expect(there.low).toBeLessThanOrEqual(value);
        expect(there.high).toBeGreaterThanOrEqual(value);
        expect(there.low).toBeGreaterThanOrEqual(-1);
        expect(there.high).toBeLessThanOrEqual(1);
        expect(there.high - there.low).toBeGreaterThan(1e-3);
      }),
    );
  });

  it('and the mid-p test disagree on some tables: then there is no significant difference', () => {
    const n = 100;
    let disagreements = 0;
    for (let onlyA = 0; onlyA <= 50; onlyA++) {
      for (let onlyB = 0; onlyB <= 50; onlyB++) {
        const p = mcnemarMidP(onlyA, onlyB);
        const difference = { value: (onlyA - onlyB) / n, ...tangoInterval(onlyA, onlyB, n), standardError: null };
        const excludesZero = difference.low > 0 || difference.high < 0;
        const [verdict] = familyVerdicts([{ difference, p }]);
        const agrees = p < 0.05 === excludesZero;
        if (!agrees) disagreements++;
        expect(verdict!.greater !== null).toBe(agrees && excludesZero);
        if (verdict!.greater) expect(verdict!.greater).toBe(onlyA > onlyB ? 'a' : 'b');
      }
    }
    expect(disagreements).toBeGreaterThan(0);
  });
});

describe('the clustered t test', () => {
  it.each(golden.tails)('has the tail of t = $t with $freedom degrees of freedom', ({ t, freedom, p }) => {
    expect(twoSidedT(t, freedom) / p).toBeCloseTo(1, 9);
  });

  it.each(golden.clustered)('has the Bell–McCaffrey error with $freedom degrees of freedom', (example) => {
    const differences = Float64Array.from(example.differences);
    const clusters = { of: Int32Array.from(example.clusters), count: Math.max(...example.clusters) + 1 };
    const { standardError, freedom } = clusteredError(differences, clusters);
    expect(standardError).toBeCloseTo(example.standardError, 12);
    expect(freedom).toBeCloseTo(example.freedom, 9);

    const b = new Float64Array(differences.length);
    const { difference, p, test } = comparePaired({ a: differences, b, binary: false, clusters, seed: 'golden' });
    expect(difference.low).toBeCloseTo(example.low, 8);
    expect(difference.high).toBeCloseTo(example.high, 8);
    // the flips decide where at least ten of 10,000 are extreme
    if (test === 'clustered-t') expect(p).toBeCloseTo(Math.max(example.p, 2 ** (1 - clusters.count)), 12);
    else expect(p).toBeGreaterThanOrEqual(0.001);
  });

  it('is used by at least one golden case', () => {
    expect(golden.clustered.some(({ p }) => p < 1e-6)).toBe(true);
  });
});
