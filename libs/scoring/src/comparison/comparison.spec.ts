import { readFileSync } from 'node:fs';
import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeWithRealData, sharedLines } from '../../../../test/factories/worlds/shared-folder.js';
import { Z95 } from '../estimate.js';
import { comparePaired, mcnemarMidP, type PairedScores } from './compare-paired.js';
import { drawingOf } from '../resampling/drawing.js';
import { statisticsComparison, type StatisticsComparison } from './compare-statistic.js';
import { holm } from './holm.js';
import { atOnce } from '../resampling/work.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

interface FlipCase {
  readonly differences: number[];
  readonly clusters: number[] | null;
  readonly mean: number;
  readonly standardError: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
}
interface Golden {
  readonly midP: { onlyA: number; onlyB: number; p: number }[];
  readonly signFlips: FlipCase[];
  readonly holm: { p: number[]; adjusted: number[] }[];
}

/** Returns the values of a and b in one metric. */
type Joint = (times: ArrayLike<number>, swapped: Uint8Array) => readonly [number, number];

const compareStatistic = ({
  statistic,
  clusters,
  ...comparison
}: Pick<StatisticsComparison, 'n' | 'seed' | 'swaps'> & { readonly statistic: Joint; readonly clusters: number }) =>
  atOnce(
    statisticsComparison({
      ...comparison,
      drawing: drawingOf(null, clusters),
      freedom: null,
      metrics: 1,
      statistics: {
        resampled: (times, a, b) => {
          [a[0], b[0]] = statistic(times, new Uint8Array(times.length));
        },
        swapped: (swapped, a, b) => {
          [a[0], b[0]] = statistic(new Uint8Array(swapped.length).fill(1), swapped);
        },
      },
    }),
  )[0]!;

const golden = JSON.parse(readFileSync(new URL('../../golden/board.json', import.meta.url), 'utf8')) as Golden;

/** Scores whose differences are these. */
const paired = (differences: readonly number[], more: Partial<PairedScores> = {}): PairedScores => ({
  a: Float64Array.from(differences),
  b: new Float64Array(differences.length),
  binary: false,
  clusters: null,
  seed: 'comparison',
  ...more,
});
const inGroupsOf = (size: number, length: number) => ({
  of: Int32Array.from({ length }, (_, index) => Math.floor(index / size)),
  count: Math.ceil(length / size),
});

describe('McNemar’s mid-p', () => {
  it.each(golden.midP)('of $onlyA against $onlyB is $p', ({ onlyA, onlyB, p }) => {
    expect(mcnemarMidP(onlyA, onlyB) / p).toBeCloseTo(1, 8);
    expect(mcnemarMidP(onlyB, onlyA)).toBe(mcnemarMidP(onlyA, onlyB));
  });
});

describe('Holm', () => {
  it.each(golden.holm)('adjusts $p', ({ p, adjusted }) => {
    const found = holm(p);
    expect(found).toHaveLength(adjusted.length);
    for (const [index, expected] of adjusted.entries()) expect(found[index]).toBeCloseTo(expected, 12);
  });
});

describe('comparePaired', () => {
  it.each(golden.signFlips)('equals NumPy, and comes near to all flips: p = $p', (example) => {
    const of = example.clusters && Int32Array.from(example.clusters);
    const clusters = of && { of, count: Math.max(...of) + 1 };
    const { n, difference, p, test, discordant, detectable } = comparePaired(paired(example.differences, { clusters }));

    expect(n).toBe(example.differences.length);
    expect(difference.value).toBeCloseTo(example.mean, 12);
    expect(difference.standardError).toBeCloseTo(example.standardError, 12);
    expect(difference.low).toBeCloseTo(example.low, 9);
    expect(difference.high).toBeCloseTo(example.high, 9);
    expect(detectable).toBeCloseTo(2.8 * example.standardError, 12);
    expect(test).toBe('sign-flips');
    expect(discordant).toBeNull();
    expect(Math.abs(p! - example.p)).toBeLessThan(5 * Math.sqrt((example.p * (1 - example.p)) / 10_000));
  });

  it('counts who alone is right, and tests right-or-wrong scores exactly', () => {
    const a = Float64Array.from({ length: 100 }, (_, index) => (index < 60 ? 1 : 0));
    const b = Float64Array.from({ length: 100 }, (_, index) => (index >= 40 && index < 65 ? 1 : 0));

    expect(comparePaired({ a, b, binary: true, clusters: null, seed: '' })).toMatchObject({
      n: 100,
      a: 0.6,
      b: 0.25,
      test: 'mcnemar-mid-p',
      draws: null,
      discordant: { onlyA: 40, onlyB: 5 },
      p: mcnemarMidP(40, 5),
    });
  });

  it('takes far p-values from the clustered t test, and never below what all flips could give', () => {
    const rng = seededRng('far');
    const far = Array.from({ length: 400 }, () => 0.3 + rng.next() - 0.5);
    const { difference, p, test } = comparePaired(paired(far, { clusters: inGroupsOf(2, 400) }));

    expect(test).toBe('clustered-t');
    expect(p!).toBeLessThan(1e-6);
    expect(Math.abs(difference.value / difference.standardError!)).toBeGreaterThan(5);
    const alike = comparePaired(paired(new Array<number>(36).fill(0.5), { clusters: inGroupsOf(3, 36) }));
    expect(alike).toMatchObject({ test: 'clustered-t', p: 2 ** -11 });
  });

  it('is not certain of models that answered the same', () => {
    const same = comparePaired(paired(new Array<number>(200).fill(0), { binary: true }));

    expect(same).toMatchObject({ p: 1, discordant: { onlyA: 0, onlyB: 0 } });
    expect(same.difference.high).toBeCloseTo(Z95 ** 2 / (200 + Z95 ** 2), 12);
    expect(comparePaired(paired(new Array<number>(10).fill(0), { clusters: inGroupsOf(2, 10), binary: true })).p).toBe(
      1,
    );
  });

  it('has neither interval nor test below five clusters', () => {
    const four = comparePaired(paired([0.5, 0.25, 0.5, 0.25], { clusters: inGroupsOf(1, 4) }));

    expect(four).toMatchObject({ p: null, detectable: null, difference: { value: 0.375, low: null, high: null } });
  });

  it('turns round with the models', () => {
    const scores = fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        minLength: 2,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 4 }), (pairs, size) => {
        const a = Float64Array.from(pairs, ([first]) => first);
        const b = Float64Array.from(pairs, ([, second]) => second);
        const clusters = inGroupsOf(size, pairs.length);
        const there = comparePaired({ a, b, binary: false, clusters, seed: 'turn' });
        const back = comparePaired({ a: b, b: a, binary: false, clusters, seed: 'turn' });
        expect(back.difference.value).toBeCloseTo(-there.difference.value, 12);
        expect(back.p).toBe(there.p);
        if (there.difference.low !== null) expect(back.difference.high).toBeCloseTo(-there.difference.low, 9);
      }),
      { numRuns: 30 },
    );
  });

  it('rejects 5% of the time where nothing differs', () => {
    const rng = seededRng('null');
    const rejected = Array.from({ length: 200 }, (_, round) => {
      const shift = Array.from({ length: 30 }, () => rng.next() - 0.5);
      const differences = Array.from({ length: 120 }, (_, index) => shift[index >> 2]! + rng.next() - 0.5);
      return comparePaired(paired(differences, { clusters: inGroupsOf(4, 120), seed: String(round) })).p! <= 0.05;
    }).filter(Boolean).length;

    // 10 ± 3.1 of 200; the examples alone, without their clusters, would reject about twice as often
    expect(rejected).toBeGreaterThan(2);
    expect(rejected).toBeLessThan(20);
  });

  it('takes 10,000 examples × 10,000 flips', () => {
    const rng = seededRng('many');
    const differences = Array.from({ length: 10_000 }, () => rng.next() - 0.5);

    expect(processorMilliseconds(() => comparePaired(paired(differences)), 1_500)).toBeLessThan(1_500);
  });
});

describe('compareStatistic', () => {
  const rng = seededRng('statistic');
  const right = Array.from({ length: 240 }, () => [rng.next() < 0.7 ? 1 : 0, rng.next() < 0.6 ? 1 : 0] as const);
  const clusters = inGroupsOf(6, right.length);
  /** Accuracy by way of multiplicities, so that it can be held against the paired test of its scores. */
  const accuracy = (times: ArrayLike<number>, swapped: Uint8Array): readonly [number, number] => {
    let [a, b, n] = [0, 0, 0];
    for (const [index, [first, second]] of right.entries()) {
      const cluster = clusters.of[index]!;
      const isSwapped = swapped[cluster] === 1;
      a += times[cluster]! * (isSwapped ? second : first);
      b += times[cluster]! * (isSwapped ? first : second);
      n += times[cluster]!;
    }
    return [a / n, b / n];
  };

  it('agrees with the paired comparison on a metric that both know', () => {
    const byScores = comparePaired({
      a: Float64Array.from(right, ([first]) => first),
      b: Float64Array.from(right, ([, second]) => second),
      binary: true,
      clusters,
      seed: 'scores',
    });
    const byStatistic = compareStatistic({
      statistic: accuracy,
      n: 240,
      clusters: 40,
      seed: 'statistic',
      swaps: 4_000,
    });

    expect(byStatistic.difference.value).toBeCloseTo(byScores.difference.value, 12);
    expect(byStatistic.difference.standardError! / byScores.difference.standardError!).toBeCloseTo(1, 0.8);
    expect(Math.abs(byStatistic.difference.low! - byScores.difference.low!)).toBeLessThan(0.02);
    expect(byStatistic).toMatchObject({ test: 'swaps', draws: 4_000, discordant: null });
    expect(Math.abs(byStatistic.p! - byScores.p!)).toBeLessThan(0.02);
  });

  it('is the same for the same seed, and says nothing of a single cluster', () => {
    const options = { statistic: accuracy, n: 240, clusters: 40, seed: 'same', swaps: 200 };

    expect(compareStatistic(options)).toEqual(compareStatistic(options));
    const one = compareStatistic({ ...options, statistic: () => [0.5, 0.25], clusters: 1 });
    expect(one).toMatchObject({ difference: { value: 0.25, low: null }, p: null, draws: null });
  });

  it('takes far p-values from the t test, whatever the number of draws', () => {
    const constant = (times: ArrayLike<number>, swapped: Uint8Array): readonly [number, number] => {
      let sum = 0;
      for (let cluster = 0; cluster < times.length; cluster++) {
        sum += times[cluster]! * (cluster % 2 === 0 ? 0.1 : 0.3) * (swapped[cluster] === 1 ? -1 : 1);
      }
      return [sum / times.length, 0];
    };
    const options = { statistic: constant, n: 200, clusters: 50, seed: 'far' };

    expect(compareStatistic(options)).toMatchObject({ test: 'clustered-t' });
    expect(compareStatistic(options).p!).toBeLessThan(1e-9);
    expect(compareStatistic({ ...options, swaps: 999 }).p).toBe(compareStatistic(options).p);
  });
});

describeWithRealData('two real models on ANLI round 3', () => {
  it('are apart: BART answers 50.33%, RoBERTa 46.08%', () => {
    interface Answer {
      readonly uid: string;
      readonly label: string;
    }
    interface Line extends Answer {
      readonly context: string;
    }
    const lines = sharedLines<Line>('data/nli/anli-r3.dev.jsonl');
    const scoresOf = (model: string): Float64Array => {
      const answers = new Map(
        sharedLines<Answer>('data/nli/predictions', `${model}.jsonl`).map((each) => [each.uid, each.label]),
      );
      return Float64Array.from(lines, ({ uid, label }) => (answers.get(uid) === label ? 1 : 0));
    };
    const numbers = new Map(
      Array.from(new Set(lines.map(({ context }) => context)), (context, index) => [context, index]),
    );
    const clusters = { of: Int32Array.from(lines, ({ context }) => numbers.get(context)!), count: numbers.size };
    const [a, b] = [scoresOf('anli-bart-large'), scoresOf('anli-roberta-large')];
    const alone = comparePaired({ a, b, binary: true, clusters: null, seed: 'r3' });
    const clustered = comparePaired({ a, b, binary: true, clusters, seed: 'r3' });

    expect(Math.round(10_000 * alone.a) / 100).toBe(50.33);
    expect(Math.round(10_000 * alone.b) / 100).toBe(46.08);
    expect(alone.discordant!.onlyA - alone.discordant!.onlyB).toBe(Math.round(1198 * alone.difference.value));
    expect(alone.p!).toBeLessThan(0.05);
    expect(clustered.test).toBe('sign-flips');
    expect(clustered.difference.value).toBe(alone.difference.value);
    expect(clustered.difference.standardError! / alone.difference.standardError!).toBeGreaterThan(0.8);
  });
});
