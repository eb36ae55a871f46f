import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import fc from 'fast-check';
import type { Clusters } from '../estimate.js';
import { metricNamed } from '../metrics/registry.js';
import { score } from '../score.js';
import { drawBinomial } from './binomial-draw.js';
import { quantile } from './bootstrap.js';
import { studentT95 } from './student-t.js';
import { meanEstimate } from './t-interval.js';
import { proportionEstimate, proportionFromSums, wilson } from './wilson.js';

interface IntervalCase {
  scores: number[];
  clusters: number[] | null;
  value: number;
  low: number;
  high: number;
  standardError: number;
}
interface BootstrapCase extends Pick<IntervalCase, 'clusters' | 'low' | 'high' | 'standardError'> {
  gold: string[];
  predicted: string[];
}
interface Golden {
  proportions: IntervalCase[];
  means: IntervalCase[];
  studentT95: { freedom: number; point: number }[];
  macroF1Bootstrap: BootstrapCase[];
}

const golden = JSON.parse(readFileSync(new URL('../../golden/intervals.json', import.meta.url), 'utf8')) as Golden;
const clustersOf = (of: number[] | null): Clusters | null =>
  of && { of: Int32Array.from(of), count: Math.max(...of) + 1 };

describe('a proportion over clusters', () => {
  const answers = fc.array(fc.record({ score: fc.constantFrom(0, 1), cluster: fc.nat(6) }), { minLength: 1 });

  it('is the same from its sums', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const names = [...new Set(given.map(({ cluster }) => cluster))];
        const sizes = names.map((name) => given.filter(({ cluster }) => cluster === name));
        const sum = (of: (n: number, k: number) => number) =>
          sizes.reduce((before, each) => before + of(each.length, each.filter(({ score }) => score === 1).length), 0);
        const whole = proportionEstimate(
          given.map(({ score }) => score),
          { of: Int32Array.from(given, ({ cluster }) => names.indexOf(cluster)), count: names.length },
        );
        const ofSums = proportionFromSums({
          clusters: names.length,
          examples: sum((n) => n),
          ones: sum((_, k) => k),
          squaredExamples: sum((n) => n * n),
          squaredOnes: sum((_, k) => k * k),
          products: sum((n, k) => n * k),
        })!;

        expect(ofSums.value).toBeCloseTo(whole.value, 12);
        if (whole.low === null) expect(ofSums.low).toBeNull();
        else expect([ofSums.low, ofSums.high]).toEqual([expect.closeTo(whole.low, 9), expect.closeTo(whole.high!, 9)]);
      }),
    );
  });

  it('is nothing of nothing', () => {
    const none = { clusters: 0, examples: 0, ones: 0, squaredExamples: 0, squaredOnes: 0, products: 0 };

    expect(proportionFromSums(none)).toBeNull();
  });
});

describe('intervals equal the golden cases', () => {
  it.each(golden.proportions)('Wilson of $value, clusters $clusters', ({ scores, clusters, value, low, high }) => {
    const estimate = proportionEstimate(scores, clustersOf(clusters));

    expect(estimate.value).toBeCloseTo(value, 12);
    expect(estimate.low).toBeCloseTo(low, 9);
    expect(estimate.high).toBeCloseTo(high, 9);
  });

  it.each(golden.means)('t of $value', ({ scores, clusters, value, low, high, standardError }) => {
    const estimate = meanEstimate(scores, clustersOf(clusters), [0, 1]);

    expect(estimate.value).toBeCloseTo(value, 12);
    expect(estimate.standardError).toBeCloseTo(standardError, 12);
    expect(estimate.low).toBeCloseTo(low, 9);
    expect(estimate.high).toBeCloseTo(high, 9);
  });

  it.each(golden.studentT95)('the 95% point of t with $freedom degrees of freedom', ({ freedom, point }) => {
    expect(studentT95(freedom)).toBeCloseTo(point, 10);
  });

  it.each(golden.macroF1Bootstrap)('the bootstrap of macro F1 comes near 20,000 resamples', (example) => {
    const gold = example.gold.map((label) => [label]);
    const options = { metrics: ['macro_f1'], seed: 'golden', clusters: clustersOf(example.clusters) };
    const estimate = score({ gold, predicted: example.predicted }, options).metrics['macro_f1']!;

    // the ends of 1000 resamples scatter by about a tenth of a standard error
    expect(Math.abs(estimate.low! - example.low)).toBeLessThan(0.35 * example.standardError);
    expect(Math.abs(estimate.high! - example.high)).toBeLessThan(0.35 * example.standardError);
    expect(estimate.standardError! / example.standardError).toBeCloseTo(1, 0.8);
  });
});

describe('an interval', () => {
  const bits = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 60 });
  const grades = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 });
  const clusterings = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 60, maxLength: 60 });

  it('contains the proportion and lies within [0, 1]', () => {
    fc.assert(
      fc.property(bits, fc.option(clusterings), (scores, of) => {
        const { value, low, high } = proportionEstimate(scores, dense(of, scores.length));
        if (low === null || high === null) return of !== null && new Set(scores).size === 2;
        return 0 <= low && low <= value && value <= high && high <= 1;
      }),
    );
  });

  it('contains the mean and lies within the range', () => {
    fc.assert(
      fc.property(grades, fc.option(clusterings), (scores, of) => {
        const { value, low, high } = meanEstimate(scores, dense(of, scores.length), [0, 1]);
        if (low === null || high === null) return of !== null;
        return 0 <= low && low <= value && value <= high && high <= 1;
      }),
    );
  });

  it.each(['rmse', 'pearson', 'spearman'])('contains the %s and lies within the range', (name) => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
      minLength: 1,
      maxLength: 12,
    });
    const [least, most] = metricNamed(name).range;
    fc.assert(
      fc.property(pairs, (rows) => {
        const gold = rows.map(([expected]) => [String(expected)]);
        const predicted = rows.map(([, answer]) => String(answer));
        const estimate = score({ gold, predicted }, { metrics: [name], seed: 'any' }).metrics[name];
        // undefined of constants, and then not there
        if (!estimate) return true;
        const { value, low, high } = estimate;
        if (low === null || high === null) return true;
        return least - 1e-12 <= low && low <= value && value <= high && high <= most + 1e-12;
      }),
      { numRuns: 60 },
    );
  });

  it('is no narrower for examples that all come in pairs of twins', () => {
    const scores = Array.from({ length: 200 }, (_, index) => (index % 10 < 6 ? 1 : 0));
    const twins = { of: Int32Array.from(scores, (_, index) => index >> 1), count: 100 };
    const alone = proportionEstimate(scores, null);
    const paired = proportionEstimate(scores, twins);

    expect(paired.high! - paired.low!).toBeGreaterThan(1.3 * (alone.high! - alone.low!));
  });

  it('is not claimed from a single cluster', () => {
    const one = { of: new Int32Array(4), count: 1 };

    expect(meanEstimate([0.1, 0.2, 0.3, 0.4], one, [0, 1])).toEqual({
      value: 0.25,
      low: null,
      high: null,
      standardError: null,
    });
    expect(proportionEstimate([0, 1, 1, 1], one).low).toBeNull();
    expect(proportionEstimate([1, 1, 1, 1], one)).toMatchObject({ ...wilson(1, 1), value: 1 });
    const scored = { gold: [['a'], ['b']], predicted: ['a', 'a'] };
    expect(
      score(scored, { metrics: ['macro_f1'], seed: '', clusters: { of: new Int32Array(2), count: 1 } }).metrics,
    ).toMatchObject({
      macro_f1: { low: null, high: null },
    });
  });

  it('is the same to the bit for the same seed and another for another', () => {
    const rng = seededRng('answers');
    const gold = Array.from({ length: 300 }, () => [['a', 'b', 'c'][rng.below(3)]!]);
    const predicted = gold.map(([label]) => (rng.next() < 0.6 ? label! : 'a'));
    const estimate = (seed: string) =>
      JSON.stringify(score({ gold, predicted }, { metrics: ['macro_f1', 'mcc'], seed }));

    expect(estimate('one')).toBe(estimate('one'));
    expect(estimate('one')).not.toBe(estimate('two'));
  });
});

describe('drawBinomial', () => {
  it.each([
    [20, 0.1],
    [5, 0.7],
    [10_000, 0.3],
    [10_000, 0.9],
    [100, 0.5],
    [1_000_000, 0.00002],
  ])('has the mean, the variance and the middle of Binomial(%d, %d)', (n, p) => {
    const rng = seededRng(`${n} ${p}`);
    const draws = Float64Array.from({ length: 40_000 }, () => drawBinomial(n, p, rng)).sort();
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
    const deviation = Math.sqrt(n * p * (1 - p));

    expect(Math.abs(mean - n * p)).toBeLessThan((4 * deviation) / 200);
    expect(variance / deviation ** 2).toBeCloseTo(1, 1);
    expect(Math.abs(quantile(draws, 0.5) - n * p)).toBeLessThanOrEqual(1 + deviation / 20);
  });

  it('knows the certain cases', () => {
    const rng = seededRng('certain');

    expect([drawBinomial(0, 0.5, rng), drawBinomial(7, 0, rng), drawBinomial(7, 1, rng)]).toEqual([0, 0, 7]);
  });
});

it('counts only whole scores as binary', () => {
  const accuracy = metricNamed('accuracy');

  expect(accuracy).toMatchObject({ kind: 'mean', scores: 'binary', range: [0, 1], direction: 'higher' });
});

/** The first `length` entries as clusters without gaps in their numbers. */
function dense(of: readonly number[] | null, length: number): Clusters | null {
  if (!of) return null;
  const numbers = new Map<number, number>();
  const local = of.slice(0, length).map((cluster) => {
    if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
    return numbers.get(cluster)!;
  });
  return { of: Int32Array.from(local), count: numbers.size };
}
