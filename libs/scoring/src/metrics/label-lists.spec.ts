import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { metricNamed } from './registry.js';

interface Case {
  readonly name: string;
  readonly labels: readonly string[];
  readonly gold: readonly (readonly string[])[];
  readonly predicted: readonly (readonly string[] | null)[];
  readonly accuracy: number;
  readonly macro_f1: number;
  readonly micro_f1: number;
  readonly jaccard: number;
}
const cases = JSON.parse(
  readFileSync(new URL('../../golden/label-lists.json', import.meta.url), 'utf8'),
) as readonly Case[];
const NAMES = ['accuracy', 'macro_f1', 'micro_f1', 'jaccard'] as const;

const labels = ['a', 'b', 'c'];
const example = (gold: readonly string[], predicted: readonly string[] | null) =>
  metricExample(JSON.stringify(gold), predicted && JSON.stringify(predicted));
const value = (name: string, examples: readonly ReturnType<typeof example>[], context = { labels }): number =>
  metricValue(metricNamed(name, 'labels'), examples, context);

describe.each(cases)('$name', (golden) => {
  it.each(NAMES)('has the %s of scikit-learn', (name) => {
    const examples = golden.gold.map((gold, index) => example(gold, golden.predicted[index]!));

    expect(value(name, examples, { labels: [...golden.labels] })).toBeCloseTo(golden[name], 12);
  });
});

describe('metrics of several labels', () => {
  it('find nothing in a tolerated bad answer, even where nothing is gold', () => {
    expect(NAMES.map((name) => value(name, [example([], null), example(['a'], null)]))).toEqual([0, 0, 0, 0]);
  });

  it('count an empty answer as right where nothing is gold', () => {
    expect(NAMES.map((name) => value(name, [example([], [])]))).toEqual([1, 1, 1, 1]);
    expect(NAMES.map((name) => value(name, [example([], []), example([], null)]))).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  const someLabels = fc.subarray(labels);
  const examples = fc
    .array(fc.tuple(someLabels, fc.option(someLabels)), { minLength: 1, maxLength: 20 })
    .map((list) => list.map(([gold, predicted]) => example(gold, predicted)));

  it.each(NAMES)('%s stays in its range, in any order of the examples', (name) => {
    fc.assert(
      fc.property(examples, (list) => {
        const found = value(name, list);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(value(name, list.toReversed())).toBeCloseTo(found, 12);
      }),
    );
  });

  it.each(NAMES)('%s is 1 where every answer is the gold, whichever labels occur', (name) => {
    fc.assert(
      fc.property(fc.array(someLabels, { minLength: 1 }), (list) => {
        expect(
          value(
            name,
            list.map((gold) => example(gold, gold)),
          ),
        ).toBe(1);
      }),
    );
  });
});
