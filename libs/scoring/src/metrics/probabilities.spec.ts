import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { calibrationBin } from './ece.js';
import { metricNamed } from './registry.js';

interface Case {
  readonly name: string;
  readonly labels: readonly string[];
  readonly gold: readonly string[];
  readonly predicted: readonly string[];
  readonly probabilities: readonly (readonly number[])[];
  readonly brier: number;
  readonly log_loss: number;
  readonly ece: number;
  /** Null where scikit-learn refuses. */
  readonly auroc: number | null;
}
const cases = JSON.parse(
  readFileSync(new URL('../../golden/probabilities.json', import.meta.url), 'utf8'),
) as readonly Case[];

const examplesOf = ({ gold, predicted, probabilities }: Case) =>
  gold.map((label, index) => metricExample(label, predicted[index]!, probabilities[index]));

describe.each(cases)('$name', (golden) => {
  it.each(['brier', 'log_loss', 'ece', 'auroc'] as const)('has the %s of the golden case', (name) => {
    const value = metricValue(metricNamed(name), examplesOf(golden), golden);

    if (golden[name] === null) expect(value).toBeNaN();
    else expect(value).toBeCloseTo(golden[name], 12);
  });
});

describe('metrics of probabilities', () => {
  const labels = ['a', 'b', 'c'];
  const context = { labels };
  const value = (name: string, examples: readonly ReturnType<typeof metricExample>[]): number =>
    metricValue(metricNamed(name), examples, context);

  it('take the gold label of the highest probability where several are acceptable', () => {
    const several = [metricExample(['a', 'b'], 'b', [0.2, 0.7, 0.1])];
    const one = [metricExample('b', 'b', [0.2, 0.7, 0.1])];

    for (const name of ['brier', 'log_loss', 'ece']) expect(value(name, several)).toBe(value(name, one));
  });

  it('judge a tolerated bad answer as a certain mistake', () => {
    expect(value('brier', [metricExample('a', null)])).toBe(2);
    expect(value('log_loss', [metricExample('a', null)])).toBeCloseTo(34.538776, 6);
    expect(value('ece', [metricExample('a', null)])).toBe(1);

    const answered = [metricExample('a', 'a', [1, 0, 0]), metricExample('b', 'b', [0, 1, 0])];
    expect(value('auroc', [...answered, metricExample('c', 'c', [0, 0, 1])])).toBe(1);
    // a: right beside b, beaten by the bad answer; b alike; c is the bad answer
    expect(value('auroc', [...answered, metricExample('c', null)])).toBeCloseTo((0.5 + 0.5 + 0) / 3, 15);
  });

  it.each(['brier', 'log_loss', 'ece', 'auroc'])('give no %s where an answer has no probabilities', (name) => {
    const examples = labels.map((label) => metricExample(label, label, [1, 0, 0]));

    expect(value(name, examples)).not.toBeNaN();
    expect(value(name, [...examples, metricExample('a', 'a')])).toBeNaN();
  });

  it('let nobody gain by probabilities that sum to a little more than 1', () => {
    const exact = value('log_loss', [metricExample('a', 'a', [0.5, 0.3, 0.2])]);

    expect(value('log_loss', [metricExample('a', 'a', [0.5005, 0.3003, 0.2002])])).toBeCloseTo(exact, 12);
    expect(value('log_loss', [metricExample('a', 'a', [1.001, 0, 0])])).toBe(0);
    expect(value('log_loss', [metricExample('b', 'a', [1.001, 0, 0])])).toBe(-Math.log(1e-15));
    expect(value('brier', [metricExample('b', 'a', [1.001, 0, 0])])).toBe(2);
    expect(value('ece', [metricExample('b', 'a', [1.001, 0, 0])])).toBe(1);
  });

  it('puts the edge of a bin into the lower one, stored or not', () => {
    const edges = Array.from({ length: 15 }, (_, index) => (index + 1) / 15);

    expect(edges.map(calibrationBin)).toEqual(edges.map((_, index) => index));
    expect([...Float32Array.from(edges)].map(calibrationBin)).toEqual(edges.map((_, index) => index));
    expect([0, 0.0666, 0.0667, 0.2001, 0.5999, 0.6001, 0.9999].map(calibrationBin)).toEqual([0, 0, 1, 3, 8, 9, 14]);
  });

  const distribution = fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 20 }))
    .map((parts) => parts.map((part) => part / (parts[0] + parts[1] + parts[2])));
  const example = fc
    .tuple(fc.constantFrom(...labels), fc.constantFrom(...labels), distribution)
    .map(([gold, predicted, probabilities]) => metricExample(gold, predicted, probabilities));
  const anchors = labels.map((label) => metricExample(label, label, [0.4, 0.3, 0.3]));
  const examples = fc.array(example, { maxLength: 30 }).map((list) => [...anchors, ...list]);

  it.each(['brier', 'log_loss', 'ece', 'auroc'])('%s stays in its range, in any order of the examples', (name) => {
    const [low, high] = metricNamed(name).range;
    fc.assert(
      fc.property(examples, (list) => {
        const found = value(name, list);
        expect(found).toBeGreaterThanOrEqual(low);
        expect(found).toBeLessThanOrEqual(high);
        expect(value(name, list.toReversed())).toBeCloseTo(found, 10);
      }),
    );
  });

  it('has nothing better than certainty that is right', () => {
    const certain = labels.map((label, at) =>
      metricExample(
        label,
        label,
        [0, 1, 2].map((each) => (each === at ? 1 : 0)),
      ),
    );

    expect(['brier', 'log_loss', 'ece', 'auroc'].map((name) => value(name, certain))).toEqual([0, 0, 0, 1]);
  });

  it('counts an example of a resample as often as it was drawn', () => {
    const drawn = fc.array(fc.tuple(example, fc.integer({ min: 0, max: 4 })), { maxLength: 20 });
    fc.assert(
      fc.property(drawn, (list) => {
        const all = [...anchors, ...list.map(([each]) => each)];
        const times = [1, 2, 1, ...list.map(([, count]) => count)];
        const repeated = all.flatMap((each, index) => Array.from({ length: times[index]! }, () => each));

        const weighed = metricValue(metricNamed('auroc'), all, context, times);
        expect(weighed).toBeCloseTo(value('auroc', repeated), 10);
      }),
    );
  });
});
