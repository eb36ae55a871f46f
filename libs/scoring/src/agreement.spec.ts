import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as agreement from './agreement.js';
import { atOnce } from './resampling/work.js';

const nominalAlpha = (units: agreement.RatedUnits<string>, seed: string) => atOnce(agreement.nominalAlpha(units, seed));
const intervalAlpha = (units: agreement.RatedUnits<number>, seed: string) =>
  atOnce(agreement.intervalAlpha(units, seed));

const setAlpha = (units: agreement.RatedUnits<readonly string[]>, seed: string) =>
  atOnce(
    agreement.setAlpha(
      units.map((unit) => unit.map((values) => new Set(values))),
      seed,
    ),
  );

interface GoldenCase {
  readonly name: string;
  readonly units: readonly (readonly number[])[];
  readonly nominal: number;
  readonly interval: number;
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/agreement.json', import.meta.url), 'utf8'),
) as readonly GoldenCase[];
const goldenSets = JSON.parse(
  readFileSync(new URL('../golden/agreement-sets.json', import.meta.url), 'utf8'),
) as readonly {
  readonly name: string;
  readonly units: readonly (readonly (readonly string[])[])[];
  readonly masi: number;
}[];
const asText = (units: GoldenCase['units']) => units.map((unit) => unit.map(String));

const labels = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 }), { maxLength: 30 });

describe('alpha', () => {
  it.each(golden.map((each) => [each.name, each] as const))('is as NLTK has it: %s', (_, { units, ...expected }) => {
    expect(nominalAlpha(asText(units), 'seed')!.alpha.value).toBeCloseTo(expected.nominal, 12);
    expect(intervalAlpha(units, 'seed')!.alpha.value).toBeCloseTo(expected.interval, 12);
  });

  it.each(goldenSets)('of sets is as NLTK has it with MASI: $name', ({ units, masi }) => {
    expect(setAlpha(units, 'seed')!.alpha.value).toBeCloseTo(masi, 12);
  });

  it('of sets of one value is that of the values', () => {
    fc.assert(
      fc.property(labels, (units) => {
        const ofSets = setAlpha(
          units.map((unit) => unit.map((value) => [value])),
          'seed',
        );
        const ofValues = nominalAlpha(units, 'seed');
        if (!ofValues) expect(ofSets).toBeNull();
        else expect(ofSets!.alpha.value).toBeCloseTo(ofValues.alpha.value, 12);
      }),
      { numRuns: 30 },
    );
  });

  it('of sets is higher the more two raters have in common', () => {
    const rest = [
      [['a'], ['a']],
      [['b'], ['b']],
      [['c'], ['c']],
    ];
    const alphaOf = (one: string[], other: string[]) => setAlpha([[one, other], ...rest], 'seed')!.alpha.value;

    expect(alphaOf(['a', 'b'], ['a', 'b'])).toBe(1);
    expect(alphaOf(['a', 'b'], ['a'])).toBeGreaterThan(alphaOf(['a', 'b'], ['a', 'c']));
    expect(alphaOf(['a', 'b'], ['a', 'c'])).toBeGreaterThan(alphaOf(['a', 'b'], ['c']));
  });

  it('is as Krippendorff printed it: 0.743 and 0.849, of 40 ratings of 11 units', () => {
    const [{ units }] = golden as readonly [GoldenCase];
    const nominal = nominalAlpha(asText(units), 'seed')!;
    expect(nominal).toMatchObject({ units: 11, ratings: 40 });
    expect(nominal.alpha.value.toFixed(3)).toBe('0.743');
    expect(intervalAlpha(units, 'seed')!.alpha.value.toFixed(3)).toBe('0.849');
  });

  it('is nothing where nobody could have disagreed, or nothing was rated twice', () => {
    expect(nominalAlpha([], 'seed')).toBeNull();
    expect(nominalAlpha([['a'], ['b'], []], 'seed')).toBeNull();
    expect(
      nominalAlpha(
        [
          ['a', 'a'],
          ['a', 'a', 'a'],
        ],
        'seed',
      ),
    ).toBeNull();
    expect(intervalAlpha([[1, 1], [1]], 'seed')).toBeNull();
  });

  it('has no interval where one unit alone was rated twice', () => {
    expect(nominalAlpha([['a', 'b'], ['a']], 'seed')).toMatchObject({ alpha: { low: null, high: null }, units: 1 });
  });

  it('is at most 1, 1 where all agree on each unit, and within its interval', () => {
    fc.assert(
      fc.property(labels, (units) => {
        const found = nominalAlpha(units, 'seed');
        if (!found) return;
        const { value, low, high } = found.alpha;
        expect(value).toBeLessThanOrEqual(1);
        expect(value === 1).toBe(units.every((unit) => new Set(unit).size <= 1));
        if (low !== null) expect(low <= value && value <= high!).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not go by the order of ratings or units, nor by the names of values', () => {
    fc.assert(
      fc.property(labels, (units) => {
        const renamed = units.toReversed().map((unit) => unit.toReversed().map((value) => `${value}!`));
        const [one, other] = [nominalAlpha(units, 'seed'), nominalAlpha(renamed, 'seed')];
        if (one) expect(other!.alpha.value).toBeCloseTo(one.alpha.value, 10);
        else expect(other).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('of numbers does not move with their unit or their zero', () => {
    const units = golden[4]!.units;
    const moved = units.map((unit) => unit.map((value) => value * 3 + 1e7));
    expect(intervalAlpha(moved, 'seed')!.alpha.value).toBeCloseTo(intervalAlpha(units, 'seed')!.alpha.value, 9);
  });

  it('gives the same interval for the same seed, around the value', () => {
    const units = asText(golden[1]!.units);
    const { alpha } = nominalAlpha(units, 'seed')!;
    expect(nominalAlpha(units, 'seed')!.alpha).toEqual(alpha);
    expect(nominalAlpha(units, 'another')!.alpha).not.toEqual(alpha);
    expect(alpha.high! - alpha.low!).toBeGreaterThan(0.05);
    expect(alpha.high! - alpha.low!).toBeLessThan(0.4);
  });
});
