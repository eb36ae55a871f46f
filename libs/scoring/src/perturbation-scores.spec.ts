import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OutputType } from './metric.js';
import { METRICS } from './metrics/registry.js';
import {
  MINIMUM_ORIGINALS,
  perturbationScores,
  type OriginalAnswer,
  type PerturbationOptions,
  type PerturbedFigures,
  type VariantAnswer,
} from './perturbation-scores.js';

type Interval = readonly [value: number, low: number, high: number];
interface GoldenFigures {
  readonly originals: number;
  readonly variants: number;
  readonly stayedRight: Interval | null;
  readonly mean: number | null;
  readonly meanError: number | null;
  readonly stability: Interval | null;
  readonly performance: number;
  readonly drop: readonly [value: number, low: number | null, high: number | null];
}
interface GoldenAnswer {
  readonly gold: string;
  readonly predicted: string;
}
interface GoldenCase {
  readonly name: string;
  readonly metric: string;
  readonly output: OutputType;
  readonly originals: readonly (GoldenAnswer & { readonly id: string; readonly cluster: string | null })[];
  readonly variants: readonly (GoldenAnswer & { readonly original: string; readonly transform: string })[];
  readonly together: GoldenFigures;
  readonly transforms: Readonly<Record<string, GoldenFigures>>;
}

const CASES = JSON.parse(
  readFileSync(new URL('../golden/perturbations.json', import.meta.url), 'utf8'),
) as GoldenCase[];

const standing = (name: string, ranks = true) => ({ name, validated: 0, kept: 0, ranks });
const options = (more: Partial<PerturbationOptions> = {}): PerturbationOptions => ({
  kind: 'robustness',
  metric: 'accuracy',
  output: 'label',
  labels: ['a', 'b', 'c'],
  transforms: [standing('typos'), standing('case')],
  seed: 'digest',
  ...more,
});
const answered = <T extends { gold: string; predicted: string | null }>({ gold, ...rest }: T) => ({
  ...rest,
  gold: [gold],
  probabilities: null,
});

describe('perturbationScores equals an independent computation', () => {
  it.each(CASES)('$name', ({ metric, output, originals, variants, together, transforms }) => {
    const { result, metrics } = perturbationScores(
      options({ metric, output, transforms: [standing('typos'), standing('case', false), standing('swaps')] }),
      originals.map(answered),
      variants.map(answered),
    );

    const isMean = metric !== 'macro_f1';
    expectFigures(result, together, isMean);
    for (const [name, figures] of Object.entries(transforms)) {
      expectFigures(result.transforms[name]!, figures, isMean);
    }
    expect(metrics).toEqual({
      robustness: result.stayedRight,
      robustness_mean: result.mean,
      robustness_stability: result.stability,
    });
  });

  function expectFigures(figures: PerturbedFigures, golden: GoldenFigures, isMean: boolean): void {
    expect([figures.originals, figures.variants]).toEqual([golden.originals, golden.variants]);
    expect(figures.performance).toBeCloseTo(golden.performance, 12);
    for (const name of ['stayedRight', 'stability'] as const) {
      if (golden[name] === null) expect(figures[name]).toBeNull();
      else expectInterval(figures[name], golden[name], 9);
    }
    if (golden.mean === null) expect(figures.mean).toBeNull();
    else {
      expect(figures.mean!.value).toBeCloseTo(golden.mean, 12);
      // linearised here, a jackknife there
      expect(figures.mean!.standardError! / golden.meanError!).toBeCloseTo(1, 1);
    }
    const [drop, low, high] = golden.drop;
    expect(figures.drop!.value).toBeCloseTo(drop, 12);
    if (low === null || high === null) expect(figures.drop).toMatchObject({ low, high });
    // a whole-set metric is resampled on both sides: BCa with 1000 draws, percentiles of 2000
    else expectInterval(figures.drop, [drop, low, high], isMean ? 9 : 1.3);
  }

  function expectInterval(
    estimate: { value: number; low: number | null; high: number | null } | null,
    [value, low, high]: Interval,
    digits: number,
  ): void {
    expect(estimate!.value).toBeCloseTo(value, 9);
    expect(estimate!.low).toBeCloseTo(low, digits);
    expect(estimate!.high).toBeCloseTo(high, digits);
  }
});

describe('perturbationScores', () => {
  const LABELS = ['a', 'b', 'c'];
  const pairs = fc.array(
    fc.record({ gold: fc.constantFrom(...LABELS), cluster: fc.constantFrom('x', 'y', 'z', null), variants: fc.nat(2) }),
    { minLength: MINIMUM_ORIGINALS, maxLength: 60 },
  );

  /** `answer` of the original's place, and of a transform or of none. */
  function asked(
    rows: readonly { readonly gold: string; readonly cluster: string | null; readonly variants: number }[],
    answer: (place: number, transform: string | null) => string | null,
  ): readonly [OriginalAnswer[], VariantAnswer[]] {
    const originals = rows.map(({ gold, cluster }, place) =>
      answered({ id: `${place}`, gold, cluster, predicted: answer(place, null) }),
    );
    const variants = rows.flatMap(({ gold, variants: count }, place) =>
      ['typos', 'case']
        .slice(0, count)
        .map((transform) => answered({ original: `${place}`, transform, gold, predicted: answer(place, transform) })),
    );
    return [originals, variants];
  }

  it('gives a constant model nothing: it stays right where it was right, and is stable', () => {
    fc.assert(
      fc.property(pairs, (rows) => {
        const [originals, variants] = asked(rows, () => 'a');
        const { result } = perturbationScores(options(), originals, variants);
        const chosen = rows.filter((row) => row.variants > 0);
        if (chosen.length < MINIMUM_ORIGINALS) {
          expect(result.stayedRight).toBeNull();
          return;
        }

        const right = chosen.filter(({ gold }) => gold === 'a').length / chosen.length;
        expect(result.stayedRight!.value).toBeCloseTo(right, 12);
        expect(result.stability!.value).toBe(1);
        expect(result.drop!.value).toBeCloseTo(0, 12);
      }),
      { numRuns: 20 },
    );
  });

  it('is never better than the accuracy on the originals, and lies within its interval', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (rows, salt) => {
        const labels = (place: number, transform: string | null) =>
          LABELS[(place * 7 + salt + (transform?.length ?? 0)) % 3]!;
        const { result, resamples } = perturbationScores(options(), ...asked(rows, labels));
        if (!result.stayedRight) return;
        const chosen = rows.flatMap((row, place) => (row.variants > 0 ? [{ ...row, place }] : []));
        const right = chosen.filter(({ gold, place }) => gold === labels(place, null)).length / chosen.length;
        expect(result.stayedRight.value).toBeLessThanOrEqual(right);
        expect(result.stayedRight.value).toBeGreaterThanOrEqual(result.stayedRight.low ?? 0);
        expect(resamples['robustness']).toHaveLength(1000);
      }),
      { numRuns: 20 },
    );
  });

  const forty = Array.from({ length: 40 }, (_, place) => ({ gold: LABELS[place % 3]!, cluster: null, variants: 2 }));

  it('draws the same originals for every model', () => {
    const right = (place: number) => forty[place]!.gold;
    const once = perturbationScores(options(), ...asked(forty, right));
    const half = perturbationScores(options(), ...asked(forty, (place) => (place < 20 ? right(place) : 'wrong')));
    const other = perturbationScores(options(), ...asked(forty, (place) => (place < 20 ? 'wrong' : right(place))));

    const sums = half.resamples['robustness']!.map((value, draw) => value + other.resamples['robustness']![draw]!);
    for (const sum of sums) expect(sum).toBeCloseTo(1, 6);
    expect(new Set(half.resamples['robustness']).size).toBeGreaterThan(5);
    expect(once.resamples['robustness']!.every((value) => value === 1)).toBe(true);
    expect(once.metrics['robustness_stability']).toMatchObject({ value: 1, high: 1 });
    expect(once.metrics['robustness_stability']!.low).toBeLessThan(1);
  });

  it('has a mean that does not depend on the number of variants', () => {
    const answersTo = (place: number, transform: string | null) => LABELS[(place * 5 + (transform?.length ?? 0)) % 3]!;
    const [originals, variants] = asked(forty, answersTo);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 80, maxLength: 80 }), (times) => {
        const repeated = variants.flatMap((variant, index) => Array.from({ length: times[index]! }, () => variant));
        const { metrics } = perturbationScores(options(), originals, repeated);

        expect(metrics['robustness_mean']).toEqual(
          perturbationScores(options(), originals, variants).metrics['robustness_mean'],
        );
      }),
      { numRuns: 5 },
    );
  });

  it('has a mean of .95 with one variant and with ten if 5% of the answers flip, unlike the share that stays right', () => {
    const rows = Array.from({ length: 100 }, () => ({ gold: 'a', cluster: null, variants: 0 }));
    const [originals] = asked(rows, () => 'a');
    const withVariants = (count: number): VariantAnswer[] =>
      rows.flatMap((row, place) =>
        Array.from({ length: count }, (_, each) => {
          const predicted = (place * 7 + each * 13) % 20 === 0 ? 'b' : 'a';
          return answered({ original: `${place}`, transform: 'typos', gold: row.gold, predicted });
        }),
      );
    const [one, ten] = [1, 10].map((count) => perturbationScores(options(), originals, withVariants(count)).metrics);

    expect([one!['robustness_mean']!.value, ten!['robustness_mean']!.value]).toEqual([0.95, expect.closeTo(0.95, 12)]);
    expect(one!['robustness']!.value).toBe(0.95);
    expect(ten!['robustness']!.value).toBeLessThan(0.6);
  });

  it('weighs transforms alike in the mean, and leaves out those with fewer than 30 originals', () => {
    const [originals, variants] = asked(forty, (place, transform) =>
      transform === 'case' ? 'none' : forty[place]!.gold,
    );
    const isFew = ({ original, transform }: VariantAnswer, most: number) => transform === 'typos' || +original < most;
    const of = (most: number) =>
      perturbationScores(
        options(),
        originals,
        variants.filter((variant) => isFew(variant, most)),
      ).metrics['robustness_mean']!.value;

    expect([of(40), of(30), of(29)]).toEqual([expect.closeTo(0.5, 12), expect.closeTo(0.5, 12), 1]);
  });

  it('leaves a transform that does not rank out of the figures together, and shows its own', () => {
    const model = (place: number, transform: string | null) => (transform === 'case' ? 'none' : forty[place]!.gold);
    const transforms = [standing('typos'), { name: 'case', validated: 100, kept: 60, ranks: false }];
    const { result, metrics } = perturbationScores(options({ transforms }), ...asked(forty, model));

    expect(metrics['robustness']!.value).toBe(1);
    expect(result).toMatchObject({ variants: 40, transforms: { typos: { ranks: true }, case: { ranks: false } } });
    expect(result.transforms['case']).toMatchObject({ validated: 100, kept: 60, stayedRight: { value: 0 } });
    expect(result.transforms['case']!.drop!.value).toBe(1);
  });

  it('is undefined with fewer than 30 originals, and without any', () => {
    const few = perturbationScores(options(), ...asked(forty.slice(0, 29), () => 'a'));
    const none = perturbationScores(options(), ...asked(forty.slice(0, 0), () => 'a'));

    expect([few.metrics, few.resamples, few.result.stayedRight]).toEqual([{}, {}, null]);
    expect(few.result.performance).not.toBeNull();
    expect(none.result).toMatchObject({ originals: 0, performance: null, drop: null });
  });

  it('takes the label that a pair of the owner brings, and no bad answer for stable', () => {
    const [originals, variants] = asked(forty, () => null);
    const turned = variants.map((variant) => ({ ...variant, gold: ['turned'], predicted: 'turned' }));
    expect(perturbationScores(options(), originals, variants).result).toMatchObject({
      stability: { value: 0 },
      stayedRight: { value: 0 },
    });
    expect(perturbationScores(options(), originals, turned).result.performance).toBe(1);
  });

  it('says right or wrong of numbers', () => {
    const rows = forty.map((row, place) => ({ ...row, gold: `${place}.0` }));
    const [originals, variants] = asked(
      rows,
      (place, transform) => `${transform === 'case' && place < 10 ? -1 : place}`,
    );
    const scores = perturbationScores(options({ metric: 'mae', output: 'number' }), originals, variants);

    expect(scores.metrics['robustness']!.value).toBe(0.75);
    expect(scores.metrics['robustness_stability']!.value).toBe(1 - 10 / 80);
  });

  const ANSWERS: Readonly<Record<OutputType, string>> = {
    label: 'a',
    labels: '["a","b"]',
    span: 'in the old town',
    text: 'the cat sat on the old red mat',
    number: '7',
  };
  const named = METRICS.flatMap((metric) => metric.outputs.map((output) => [metric.name, output] as const));

  it.each(named)('is 1 and 1 for a model that is always right, with %s of a %s', (metric, output) => {
    const rows = forty.map((row, place) => ({
      ...row,
      gold: output === 'number' ? `${place}` : ANSWERS[output],
    }));
    const [originals, variants] = asked(rows, (place) => rows[place]!.gold);
    const { metrics } = perturbationScores(options({ metric, output }), originals, variants);

    expect(metrics['robustness']!.value).toBeCloseTo(1, 12);
    expect(metrics['robustness_mean']!.value).toBeCloseTo(1, 12);
    expect(metrics['robustness_stability']!.value).toBeCloseTo(1, 12);
  });
});
