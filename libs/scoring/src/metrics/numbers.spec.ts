import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { metricNamed } from './registry.js';

interface Case {
  readonly name: string;
  readonly gold: readonly number[];
  readonly predicted: readonly number[];
  readonly mae: number;
  readonly rmse: number;
  /** Null where it is undefined. */
  readonly pearson: number | null;
  readonly spearman: number | null;
}
const cases = JSON.parse(
  readFileSync(new URL('../../golden/numbers.json', import.meta.url), 'utf8'),
) as readonly Case[];
const NAMES = ['mae', 'rmse', 'pearson', 'spearman'] as const;

type Pair = readonly [gold: number, predicted: number | null];
const value = (name: string, pairs: readonly Pair[], times?: readonly number[]): number =>
  metricValue(
    metricNamed(name),
    pairs.map(([gold, predicted]) => metricExample(String(gold), predicted === null ? null : String(predicted))),
    undefined,
    times,
  );

describe.each(cases)('$name', (golden) => {
  it.each(NAMES)('has the %s of scikit-learn and SciPy', (name) => {
    const found = value(
      name,
      golden.gold.map((gold, index) => [gold, golden.predicted[index]!]),
    );

    const expected = golden[name];
    if (expected === null) expect(found).toBeNaN();
    else expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(expected)));
  });
});

describe('metrics of numbers', () => {
  it.each(NAMES)('%s of the largest numbers that are scored is finite, and can be stored in 32 bits', (name) => {
    const found = value(name, [
      [1e30, -1e30],
      [-1e30, 1e30],
      [1e30, 0],
    ]);
    expect(Math.fround(found)).toBeLessThan(Infinity);
    expect(found).not.toBeNaN();
  });

  it.each(NAMES)('%s is undefined with a tolerated bad answer: no number is the worst', (name) => {
    expect(
      value(name, [
        [1, 2],
        [2, 4],
        [3, 7],
      ]),
    ).not.toBeNaN();
    expect(
      value(name, [
        [1, 2],
        [2, 4],
        [3, 7],
        [4, null],
      ]),
    ).toBeNaN();
  });

  it('finds a column constant in a resample, whatever its mean rounds to', () => {
    expect(
      value(
        'pearson',
        [
          [0.1, 1],
          [0.1, 2],
          [0.1, 3],
          [7, 4],
        ],
        [1, 1, 1, 0],
      ),
    ).toBeNaN();
    expect(
      value(
        'spearman',
        [
          [0.1, 1],
          [0.1, 2],
          [0.1, 3],
          [7, 4],
        ],
        [1, 1, 1, 0],
      ),
    ).toBeNaN();
  });

  const number = fc.integer({ min: -8, max: 8 }).map((each) => each / 4);
  const anchors: readonly Pair[] = [
    [-3, 3],
    [5, 1],
    [0, 0],
  ];
  const pairs = fc.array(fc.tuple(number, number), { maxLength: 25 }).map((list): Pair[] => [...anchors, ...list]);

  it.each(NAMES)('%s stays in its range, in any order of the examples', (name) => {
    const [low, high] = metricNamed(name).range;
    fc.assert(
      fc.property(pairs, (list) => {
        const found = value(name, list);
        expect(found).toBeGreaterThanOrEqual(low);
        expect(found).toBeLessThanOrEqual(high);
        expect(value(name, list.toReversed())).toBeCloseTo(found, 10);
      }),
    );
  });

  it('has nothing better than the gold itself', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const right = list.map(([gold]): Pair => [gold, gold]);
        expect([value('mae', right), value('rmse', right)]).toEqual([0, 0]);
        expect(value('pearson', right)).toBeCloseTo(1, 12);
        expect(value('spearman', right)).toBeCloseTo(1, 12);
      }),
    );
  });

  it.each(NAMES)('%s counts an example of a resample as often as it was drawn', (name) => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.integer({ min: 0, max: 4 })), (list, counts) => {
        const times = list.map((_, index) => (index < anchors.length ? 1 : Number(counts.next().value)));
        const repeated = list.flatMap((pair, index) => Array.from({ length: times[index]! }, () => pair));

        expect(value(name, list, times)).toBeCloseTo(value(name, repeated), 10);
      }),
    );
  });
});
