import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import fc from 'fast-check';
import type { Clusters } from '../estimate.js';
import { metricNamed } from '../metrics/registry.js';
import { score } from '../score.js';
import { clusteredError } from './bell-mccaffrey.js';
import { drawBinomial } from './binomial-draw.js';
import { quantile } from './bootstrap.js';
import { studentT95 } from './student-t.js';
import { meanEstimate } from './t-interval.js';
import { proportionEstimate, proportionOfClusters, wilson } from './wilson.js';

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
interface ErrorCase {
  scores: number[];
  clusters: number[];
  standardError: number;
  freedom: number;
}
interface Golden {
  errors: ErrorCase[];
  proportions: IntervalCase[];
  means: IntervalCase[];
  studentT95: { freedom: number; point: number }[];
  macroF1Bootstrap: BootstrapCase[];
  calibratedBands: { confidences: number[]; low: number; high: number }[];
}

const golden = JSON.parse(readFileSync(new URL('../../golden/intervals.json', import.meta.url), 'utf8')) as Golden;
const clustersOf = (of: number[] | null): Clusters | null =>
  of && { of: Int32Array.from(of), count: Math.max(...of) + 1 };

describe('a proportion over clusters', () => {
  const answers = fc.array(fc.record({ score: fc.constantFrom(0, 1), cluster: fc.nat(6) }), { minLength: 1 });

  it('is the same from counts of equal clusters', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const names = [...new Set(given.map(({ cluster }) => cluster))];
        const sums = names.map((name) => {
          const own = given.filter(({ cluster }) => cluster === name);
          return { examples: own.length, sum: own.filter(({ score }) => score === 1).length };
        });
        const groups = Map.groupBy(sums, ({ examples, sum }) => `${examples}/${sum}`);
        const whole = proportionEstimate(
          given.map(({ score }) => score),
          { of: Int32Array.from(given, ({ cluster }) => names.indexOf(cluster)), count: names.length },
        );
        const counted = proportionOfClusters(
          Array.from(groups.values(), (equal) => ({ ...equal[0]!, times: equal.length })),
        )!;

        expect(counted.value).toBeCloseTo(whole.value, 12);
        if (whole.low === null) expect(counted).toMatchObject({ low: null, why: 'too few clusters' });
        else
          expect([counted.low, counted.high]).toEqual([expect.closeTo(whole.low, 9), expect.closeTo(whole.high!, 9)]);
      }),
    );
  });

  it('is nothing of nothing', () => {
    expect(proportionOfClusters([])).toBeNull();
  });
});

describe('intervals equal the golden cases', () => {
  it.each(golden.errors)('CR2 with $freedom degrees of freedom', ({ scores, clusters, standardError, freedom }) => {
    const error = clusteredError(scores, clustersOf(clusters));

    expect(error.standardError).toBeCloseTo(standardError, 12);
    expect(error.freedom).toBeCloseTo(freedom, 9);
  });

  it.each(golden.calibratedBands)('the band of a calibrated model from $low to $high', ({ confidences, low, high }) => {
    const labels = ['a', 'b'];
    const scored = {
      gold: confidences.map(() => ['a']),
      predicted: confidences.map(() => 'a'),
      probabilities: confidences.map((each) => [each, 1 - each]),
    };
    const { band, ...ece } = score(scored, { output: 'label', labels, metrics: ['ece'], seed: 'band' }).metrics['ece']!;

    expect(ece).toMatchObject({ low: null, high: null, standardError: null });
    expect(band!.low / low).toBeCloseTo(1, 1);
    expect(band!.high / high).toBeCloseTo(1, 1);
  });

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
        if (low === null || high === null) return of !== null && new Set(of.slice(0, scores.length)).size < 5;
        return 0 <= low && low <= value && value <= high && high <= 1;
      }),
    );
  });

  it('contains the mean and lies within the range', () => {
    fc.assert(
      fc.property(grades, fc.option(clusterings), (scores, of) => {
        const { value, low, high } = meanEstimate(scores, dense(of, scores.length), [0, 1]);
        if (low === null || high === null) return of !== null && new Set(of.slice(0, scores.length)).size < 5;
        return 0 <= low && low <= value && value <= high && high <= 1;
      }),
    );
  });

  it.each(['rmse', 'pearson', 'spearman'])('contains the %s and lies within the range', (name) => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
      minLength: 1,
      maxLength: 45,
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

  it('is not claimed from fewer than five clusters', () => {
    const four = { of: Int32Array.of(0, 1, 2, 3, 3, 3), count: 4 };
    const five = { of: Int32Array.of(0, 1, 2, 3, 4, 4), count: 5 };
    const none = { low: null, high: null, standardError: null, why: 'too few clusters' };

    expect(meanEstimate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], four, [0, 1])).toMatchObject(none);
    expect(proportionEstimate([0, 1, 1, 1, 0, 1], four)).toMatchObject(none);
    expect(proportionEstimate([1, 1, 1, 1, 1, 1], four)).toMatchObject(none);
    expect(meanEstimate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], five, [0, 1]).low).not.toBeNull();
    expect(proportionEstimate([1, 1, 1, 1, 1, 1], five)).toMatchObject({ ...wilson(1, 5), value: 1 });

    const gold = Array.from({ length: 60 }, (_, index) => [index % 2 === 0 ? 'a' : 'b']);
    const scored = { gold, predicted: gold.map(([label], index) => (index % 7 === 0 ? 'a' : label!)) };
    const clusters = { of: Int32Array.from(gold, (_, index) => index % 4), count: 4 };
    expect(score(scored, { metrics: ['macro_f1'], seed: '', clusters }).metrics['macro_f1']).toMatchObject(none);
  });

  it('has a width without any error', () => {
    const right = Array.from({ length: 40 }, (_, index) => ['a', 'b'][index % 2]!);
    const labels = score(
      { gold: right.map((label) => [label]), predicted: right },
      { metrics: ['macro_f1', 'mcc'], seed: '' },
    );
    const texts = right.map((_, index) => `the cat sat on mat number ${index}`);
    const metrics = ['bleu', 'chrf', 'rouge_l', 'wer', 'cer'];
    const ofTexts = score(
      { gold: texts.map((text) => [text]), predicted: texts },
      { output: 'text', metrics, seed: '' },
    );

    for (const { value, low, high } of Object.values({ ...labels.metrics, ...ofTexts.metrics })) {
      expect([0, 1]).toContain(Math.round(value * 1e9) / 1e9);
      expect(high! - low!).toBeGreaterThan(0.05);
    }
    expect(meanEstimate(new Float64Array(30).fill(1), null, [0, 1])).toMatchObject({ ...wilson(1, 30) });
    expect(meanEstimate(new Float64Array(30).fill(0.5), null, [0, 1])).toMatchObject({ ...wilson(0.5, 30) });
  });

  it('is not claimed for equal scores without a bounded range', () => {
    expect(meanEstimate([0, 0, 0], null, [0, Infinity])).toMatchObject({ low: null, why: 'no variation' });
    const gold = Array.from({ length: 40 }, (_, index) => [String(index)]);
    const scored = { gold, predicted: gold.map(([number]) => number!) };
    expect(score(scored, { metrics: ['rmse'], seed: '' }).metrics['rmse']).toMatchObject({ why: 'no variation' });
  });

  it('needs 30 effective examples where it is bootstrapped', () => {
    const estimate = (counts: readonly [number, number]) => {
      const gold = counts.flatMap((count, label) => new Array<readonly string[]>(count).fill(['ab'[label]!]));
      const predicted = gold.map(([label], index) => (index % 4 === 0 ? 'a' : label!));
      return score({ gold, predicted }, { metrics: ['balanced_accuracy', 'mcc'], seed: '' }).metrics;
    };
    const few = { low: null, high: null, standardError: null, why: 'too few examples' };

    expect(estimate([14, 15])).toMatchObject({ balanced_accuracy: few, mcc: few });
    // 4 / (1/100 + 1/6) = 22.6: the rare label limits a mean over labels only
    expect(estimate([100, 6])['balanced_accuracy']).toMatchObject(few);
    expect(estimate([50, 50])['balanced_accuracy']!.low).not.toBeNull();
  });

  it('of micro F1 is that of accuracy if every example is answered', () => {
    const gold = Array.from({ length: 20 }, (_, index) => [index % 3 === 0 ? 'a' : 'b']);
    const metrics = ['accuracy', 'micro_f1'];
    const whole = score({ gold, predicted: gold.map(() => 'b') }, { output: 'label', metrics, seed: '' }).metrics;

    expect(whole['micro_f1']).toEqual(whole['accuracy']);
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
