import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { crossedClusters } from '../crossed-clusters.js';
import { JointAnswers } from '../comparison/joint-answers.js';
import { detectableErrors, neededExamples } from './needed-examples.js';
import { pairSpreads, spreadOf } from './pair-spreads.js';
import { pairedSpread, type PairedSpread, pooledSpread } from './paired-spread.js';

interface Golden {
  readonly cases: readonly {
    readonly a: string;
    readonly b: string;
    readonly cluster: number;
    readonly detect: number;
    readonly spread: PairedSpread;
    readonly trueVariance: number;
    readonly needed: number;
    readonly power: number;
  }[];
  readonly coverage: readonly { readonly cluster: number; readonly covered: number }[];
  readonly family: readonly { readonly pairs: number; readonly errors: number }[];
}

const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, '../../golden/planner.json'), 'utf8')) as Golden;

const scoresOf = (text: string): number[] => Array.from(text, Number);
const clustersOf = (examples: number, size: number) =>
  size === 1
    ? null
    : { of: Int32Array.from({ length: examples }, (_, index) => Math.floor(index / size)), count: examples / size };
const none = (): Promise<void> => Promise.resolve();

describe('the spread of a pair', () => {
  it.each(GOLDEN.cases)('is that of SciPy with clusters of $cluster', ({ a, b, cluster, spread }) => {
    const found = pairedSpread(scoresOf(a), scoresOf(b), clustersOf(a.length, cluster))!;
    for (const [name, value] of Object.entries(spread)) {
      expect([name, found[name as keyof PairedSpread]]).toEqual([name, expect.closeTo(value, 9)]);
    }
  });

  it('grows with the size of equal clusters of repeated examples', () => {
    const [a, b] = [
      [1, 0, 1, 1, 0, 1, 1, 0],
      [0, 0, 1, 0, 1, 1, 0, 0],
    ];
    const each = (scores: readonly number[]) => scores.flatMap((score) => [score, score, score]);
    const single = pairedSpread(a, b, null)!;
    const clustered = pairedSpread(each(a), each(b), clustersOf(24, 3))!;
    expect(clustered.variance).toBeCloseTo(3 * single.variance, 12);
    expect(clustered.designEffect).toBeGreaterThan(2.5);
    expect(single.designEffect).toBe(1);
  });

  it('adds what crossed clusters have in common', () => {
    const examples = 400;
    const by = (group: (index: number) => number, count: number) => ({
      of: Int32Array.from({ length: examples }, (_, index) => group(index)),
      count,
    });
    const [people, texts] = [by((index) => index % 20, 20), by((index) => Math.floor(index / 20), 20)];
    // a is better for half of the people, b for half of the texts
    const a = Array.from({ length: examples }, (_, index) => (index % 2 === 0 ? 1 : 0));
    const b = Array.from({ length: examples }, (_, index) => (Math.floor(index / 20) % 2 === 0 ? 1 : 0));
    const crossed = pairedSpread(a, b, crossedClusters(people, texts))!;
    const [one, other] = [pairedSpread(a, b, people)!, pairedSpread(a, b, texts)!];
    expect(crossed.variance).toBeGreaterThan(1.5 * one.variance);
    expect(crossed.variance).toBeGreaterThan(1.5 * other.variance);
    const few = by((index) => index % 4, 4);
    expect(pairedSpread(a, b, crossedClusters(few, texts))).toBeNull();
  });

  it('is unknown for fewer than five clusters and for equal differences', () => {
    expect(pairedSpread([1, 0, 1, 0], [0, 0, 1, 1], null)).toBeNull();
    expect(pairedSpread([1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 1, 0], clustersOf(6, 3))).toBeNull();
    expect(pairedSpread([1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 1], null)).toBeNull();
    expect(pairedSpread([], [], null)).toBeNull();
    expect(() => pairedSpread([1], [], null)).toThrow(RangeError);
  });

  it('is pooled by the number of examples', () => {
    const [one, other] = [
      spreadOf({ value: 0.02, standardError: 0.01 }, 100, 100)!,
      spreadOf({ value: 0.05, standardError: 0.02 }, 300, 300)!,
    ];
    const pooled = pooledSpread([one, other]);
    expect(pooled).toMatchObject({ examples: 400, designEffect: null, relativeError: null });
    expect(pooled.variance).toBeCloseTo((100 * one.variance + 300 * other.variance) / 400, 12);
    expect(pooled.difference).toBeCloseTo(0.0425, 12);
    expect(pooledSpread([one])).toBe(one);
    expect(() => pooledSpread([])).toThrow(RangeError);
  });

  it('is known more precisely from two datasets than from one', () => {
    const { a, b } = GOLDEN.cases[0]!;
    const one = pairedSpread(scoresOf(a), scoresOf(b), null)!;
    const two = pooledSpread([one, one]);
    expect(two.variance).toBeCloseTo(one.variance, 12);
    expect(two.relativeError).toBeCloseTo(one.relativeError! / Math.SQRT2, 12);
    expect(two.freedom).toBeCloseTo(2 * one.freedom, 9);
  });

  it('is missing where there is no standard error', () => {
    expect(spreadOf({ value: 0.1, standardError: null }, 100, 100)).toBeNull();
    expect(spreadOf({ value: 0.1, standardError: 0 }, 100, 100)).toBeNull();
  });
});

describe('the number of needed examples', () => {
  it.each(GOLDEN.cases)(
    'finds a difference of $detect with 80% power, as simulated',
    ({ needed, power, trueVariance, detect, spread }) => {
      expect(power).toBeGreaterThan(0.78);
      expect(power).toBeLessThan(0.82);
      const { value } = neededExamples({ ...spread, variance: trueVariance }, detect);
      expect(Math.abs(value - needed)).toBeLessThanOrEqual(0.002 * needed + 1);
    },
  );

  it('has an interval that covers the truth, as simulated', () => {
    for (const { covered } of GOLDEN.coverage) expect(covered).toBeGreaterThanOrEqual(0.93);
    const { spread, detect } = GOLDEN.cases[0]!;
    const { value, low, high } = neededExamples(spread, detect);
    expect(low!).toBeLessThan(value);
    expect(high!).toBeGreaterThan(value);
    expect(neededExamples({ ...spread, relativeError: null }, detect)).toEqual({ value, low: null, high: null });
  });

  it('is a quarter for twice the difference, and at least 30', () => {
    const { spread } = GOLDEN.cases[0]!;
    const { value } = neededExamples(spread, 0.02);
    expect(Math.abs(neededExamples(spread, 0.04).value - value / 4)).toBeLessThan(1);
    expect(neededExamples(spread, 0.9)).toEqual({ value: 30, low: 30, high: 30 });
    expect(() => neededExamples(spread, 0)).toThrow(RangeError);
  });

  it.each(GOLDEN.family)(
    'with $pairs pairs tested together detects at $errors standard errors',
    ({ pairs, errors }) => {
      expect(detectableErrors(pairs)).toBeCloseTo(errors, 9);
    },
  );
});

describe('the spreads of models', () => {
  const answers = (metric: string, cluster: (index: number) => string | null = () => null): JointAnswers => {
    const joint = new JointAnswers({
      ...{ models: 3, output: 'label', labels: ['no', 'yes'], language: 'en', normalise: [], metrics: [metric] },
    });
    for (let index = 0; index < 100; index++) {
      const right = [index % 10 > 0, index % 5 > 0, index % 10 > 0];
      const gold = index % 3 === 0 ? 'yes' : 'no';
      const wrong = gold === 'yes' ? 'no' : 'yes';
      joint.add({
        gold: [gold],
        cluster: cluster(index),
        slices: {},
        answers: right.map((each) => ({ predicted: each ? gold : wrong, probabilities: null })),
      });
    }
    return joint;
  };

  it('come in the order of the pairs', async () => {
    const [first, same, last] = await pairSpreads(answers('accuracy'), 'accuracy', 'seed', none);
    expect(first!.difference).toBeCloseTo(0.1, 12);
    expect(first!.variance).toBeCloseTo((0.1 * 0.9 * 100) / 99, 12);
    expect(same).toBeNull();
    expect(last!.difference).toBeCloseTo(-0.1, 12);
  });

  it('include the clusters', async () => {
    const [first] = await pairSpreads(
      answers('accuracy', (index) => String(Math.floor(index / 10))),
      ...(['accuracy', 'seed', none] as const),
    );
    expect(first).toBeNull(); // each cluster has the same difference
    const [other] = await pairSpreads(
      answers('accuracy', (index) => (index % 5 === 0 ? `five ${index % 40}` : `rest ${index % 7}`)),
      ...(['accuracy', 'seed', none] as const),
    );
    expect(other!.designEffect).toBeGreaterThan(1);
  });

  it('are those of the resamples for a metric that is no mean', async () => {
    const [first, same] = await pairSpreads(answers('macro_f1'), 'macro_f1', 'seed', none);
    expect(first).toMatchObject({ examples: 100, designEffect: null, relativeError: null });
    expect(first!.variance).toBeGreaterThan(0.05);
    expect(first!.variance).toBeLessThan(0.2);
    expect(same).toBeNull();
  });
});
