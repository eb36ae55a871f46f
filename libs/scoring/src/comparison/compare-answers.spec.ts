import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { compareAnswers } from './compare-answers.js';
import { comparePaired } from './compare-paired.js';
import { compareResamples } from './compare-resamples.js';
import { JointAnswers } from './joint-answers.js';
import { pairwiseDifferences } from './pairwise-differences.js';

const LABELS = ['x', 'y', 'z'];
const turn = () => Promise.resolve();

interface Made {
  readonly n: number;
  /** How often each model is right. */
  readonly right: readonly number[];
  readonly metrics: readonly string[];
  readonly clusters?: number;
  /** Models that give probabilities; default all. */
  readonly certain?: readonly boolean[];
}

/** Answers of models that are right so often, of examples whose gold labels follow one another. `models` selects some of them. */
function made(
  { n, right, metrics, clusters, certain = right.map(() => true) }: Made,
  models = Array.from(right.keys()),
): JointAnswers {
  const rng = seededRng('answers');
  const answers = new JointAnswers({
    models: models.length,
    output: 'label',
    labels: LABELS,
    metrics,
    slices: ['third', 'rare'],
  });
  for (let index = 0; index < n; index++) {
    const gold = LABELS[index % 3]!;
    const given = right.map((share, model) => {
      const predicted = rng.next() < share ? gold : LABELS[(index + 1) % 3]!;
      const probabilities = certain[model] ? LABELS.map((label) => (label === predicted ? 0.8 : 0.1)) : null;
      return { predicted, probabilities };
    });
    answers.add({
      gold: [gold],
      cluster: clusters === undefined ? null : String(index % clusters),
      slices: { third: [String(index % 3)], rare: index < 29 ? ['few'] : [] },
      answers: models.map((model) => given[model]!),
    });
  }
  return answers;
}

/** Answers of two models in numbers; null is a tolerated bad one. */
function numbersOf(pairs: readonly (readonly [a: string | null, b: string | null])[], metrics: readonly string[]) {
  const answers = new JointAnswers({ models: 2, output: 'number', metrics });
  for (const [index, pair] of pairs.entries()) {
    const of = pair.map((predicted) => ({ predicted, probabilities: null }));
    answers.add({ gold: [String(index % 7)], cluster: null, slices: {}, answers: of });
  }
  return answers;
}

describe('compareAnswers', () => {
  it('leaves out what is undefined for either: no number is wrong for certain, a constant has no correlation', async () => {
    const metrics = ['mae', 'rmse', 'pearson'];
    const bad = Array.from({ length: 40 }, (_, index) => [String(index % 5), index === 3 ? null : '1'] as const);
    const constant = Array.from({ length: 40 }, (_, index) => [String(index % 5), '1'] as const);

    expect(Object.keys((await compareAnswers(numbersOf(bad, metrics), 's', turn)).metrics)).toEqual([]);
    expect(Object.keys((await compareAnswers(numbersOf(constant, metrics), 's', turn)).metrics)).toEqual([
      'mae',
      'rmse',
    ]);
    expect(await pairwiseDifferences(numbersOf(bad, metrics), 'mae', [[0, 1]], 's', turn)).toEqual([null]);
    expect(await pairwiseDifferences(numbersOf(bad, metrics), 'rmse', [[0, 1]], 's', turn)).toEqual([null]);
    expect(await pairwiseDifferences(numbersOf(constant, metrics), 'pearson', [[0, 1]], 's', turn)).toEqual([null]);
  });

  it.each(['1e200', '1e308'])('compares no errors that are no number: answers of %s', async (farthest) => {
    const pairs = Array.from({ length: 40 }, (_, index) => [String(index % 5), index % 3 ? farthest : '1'] as const);
    const found = await compareAnswers(numbersOf(pairs, ['mae', 'rmse']), 's', turn);
    expect(found.metrics).toEqual({});
    for (const metric of ['mae', 'rmse']) {
      const [difference] = await pairwiseDifferences(numbersOf(pairs, [metric]), metric, [[0, 1]], 's', turn);
      expect(difference?.difference.standardError ?? null).toBeNull();
    }
  });

  it('leaves out draws that leave a metric undefined', async () => {
    const answers = new JointAnswers({ models: 2, output: 'label', labels: ['x', 'y'], metrics: ['auroc'] });
    const rng = seededRng('rare');
    for (let index = 0; index < 60; index++) {
      // one in sixty resamples is without any of the four
      const gold = index < 4 ? 'y' : 'x';
      const given = [rng.next(), rng.next()].map((share) => ({ predicted: 'x', probabilities: [share, 1 - share] }));
      answers.add({ gold: [gold], cluster: null, slices: {}, answers: given });
    }
    const { difference, p, detectable } = (await compareAnswers(answers, 's', turn)).metrics['auroc']!;
    for (const each of [difference.value, difference.low, difference.high, difference.standardError, p, detectable]) {
      expect(each).not.toBeNaN();
    }
    expect(difference.low).toBeLessThan(difference.high!);
  });

  it('holds a tolerated bad answer for the mistake it is where others have probabilities', async () => {
    const answers = new JointAnswers({ models: 2, output: 'label', labels: ['x', 'y'], metrics: ['brier'] });
    for (let index = 0; index < 40; index++) {
      const good = { predicted: 'x', probabilities: [0.9, 0.1] };
      const bad = { predicted: null, probabilities: null };
      answers.add({ gold: ['x'], cluster: null, slices: {}, answers: [good, index === 0 ? bad : good] });
    }
    const { a, b } = (await compareAnswers(answers, 's', turn)).metrics['brier']!;
    expect(a).toBeCloseTo(0.02, 12);
    expect(b).toBeCloseTo((39 * 0.02 + 2) / 40, 12);
  });

  it('compares means by their paired scores, as a whole and in each slice of at least 30 examples', async () => {
    const answers = made({ n: 300, right: [0.9, 0.6], metrics: ['accuracy'] });
    const found = await compareAnswers(answers, 'seed', turn);

    const [a, b] = [0, 1].map((model) => answers.scoresOf(model).get('accuracy')!.scores) as [
      Float64Array,
      Float64Array,
    ];
    expect(found.n).toBe(300);
    expect(found.metrics['accuracy']).toEqual(comparePaired({ a, b, binary: true, clusters: null, seed: 'any' }));
    expect(found.metrics['accuracy']!.test).toBe('mcnemar-mid-p');
    expect(Object.keys(found.slices)).toEqual(['third']);
    const third = (scores: Float64Array) => scores.filter((_, index) => index % 3 === 1);
    expect(found.slices['third']!['1']).toEqual({
      n: 100,
      metrics: { accuracy: comparePaired({ a: third(a), b: third(b), binary: true, clusters: null, seed: 'any' }) },
    });
  });

  it('flips whole clusters where there are any', async () => {
    const { metrics } = await compareAnswers(
      made({ n: 300, right: [0.8, 0.75], metrics: ['accuracy'], clusters: 20 }),
      's',
      turn,
    );
    expect(metrics['accuracy']!.test).toBe('sign-flips');
  });

  it('compares metrics of whole sets by swapping the answers', async () => {
    const apart = await compareAnswers(made({ n: 150, right: [0.9, 0.6], metrics: ['macro_f1'] }), 's', turn);
    const { a, b, difference, p, test } = apart.metrics['macro_f1']!;
    expect(a).toBeGreaterThan(0.85);
    expect(difference.value).toBe(a - b);
    expect(difference.low).toBeGreaterThan(0);
    expect(p).toBeLessThan(0.001);
    expect(test).toBe('clustered-t');

    const near = await compareAnswers(made({ n: 150, right: [0.8, 0.8], metrics: ['macro_f1'] }), 's', turn);
    expect(near.metrics['macro_f1']!.p).toBeGreaterThan(0.1);
    expect(Object.keys(near.slices['third']!)).toEqual(['0', '1', '2']);
  });

  it('leaves out what one of the models gives no probabilities for', async () => {
    const metrics = ['accuracy', 'brier', 'auroc', 'macro_f1'];
    const both = await compareAnswers(made({ n: 90, right: [0.9, 0.6], metrics }), 's', turn);
    expect(Object.keys(both.metrics).sort()).toEqual(metrics.toSorted());
    const one = await compareAnswers(made({ n: 90, right: [0.9, 0.6], metrics, certain: [true, false] }), 's', turn);
    expect(Object.keys(one.metrics).sort()).toEqual(['accuracy', 'macro_f1']);
  });

  it('pools more than 10,000 clusters, and says the same twice', async () => {
    const given = { n: 24_000, right: [0.8, 0.7], metrics: ['accuracy'], clusters: 12_000 } as const;
    const [one, other] = [await compareAnswers(made(given), 's', turn), await compareAnswers(made(given), 's', turn)];
    expect(one).toEqual(other);
    expect(one.metrics['accuracy']!.p).toBeLessThan(1e-10);
  });

  it('needs an example', async () => {
    await expect(compareAnswers(made({ n: 0, right: [1, 1], metrics: ['accuracy'] }), 's', turn)).rejects.toThrow(
      'There are no examples to score.',
    );
  });
});

describe('pairwiseDifferences', () => {
  const PAIRS = [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const;

  it.each(['accuracy', 'macro_f1', 'auroc'])('equals the comparison of two models alone, in %s', async (metric) => {
    const given = { n: 300, right: [0.9, 0.6, 0.75], metrics: [metric], clusters: 50 };
    const all = await pairwiseDifferences(made(given), metric, PAIRS, 's', turn);
    expect(all).toHaveLength(3);
    for (const [place, pair] of PAIRS.entries()) {
      expect(all[place]).toEqual((await compareAnswers(made(given, [...pair]), 's', turn)).metrics[metric]);
    }
    const [first, second, third] = all.map((each) => each!.difference.value) as [number, number, number];
    expect(first).toBeCloseTo(second - third, 12);
  });

  it('has nothing where a model has no such metric', async () => {
    const answers = made({ n: 90, right: [0.9, 0.6, 0.6], metrics: ['auroc'], certain: [true, false, true] });
    const found = await pairwiseDifferences(answers, 'auroc', PAIRS, 's', turn);
    expect(found.map((each) => each !== null)).toEqual([false, true, false]);
  });
});

describe('compareResamples', () => {
  it('takes the interval of the differences, draw by draw', () => {
    const draws = Float64Array.from({ length: 1001 }, (_, draw) => draw / 1000);
    const found = compareResamples({ value: 0.6, resamples: draws }, { value: 0.1, resamples: new Float64Array(1001) });
    expect(found.difference).toMatchObject({ value: 0.5, low: 0.025, high: 0.975 });
    expect(found.p).toBeCloseTo(0.0836, 3);
    expect(found.detectable! / found.difference.standardError!).toBeCloseTo(2.8, 12);
  });

  it('says nothing of what never moves', () => {
    const still = { value: 0.5, resamples: new Float64Array(1000).fill(0.5) };
    expect(compareResamples(still, still)).toMatchObject({ p: null, detectable: 0 });
  });
});
