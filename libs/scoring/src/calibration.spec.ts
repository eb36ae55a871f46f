import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import { MetricAccumulator, type AccumulatorOptions, type ScoredExample } from './metric-accumulator.js';

const LABELS = ['a', 'b', 'c'];

/** Answers whose top probability `confidence` is right as often as `rate` says. */
function answers(count: number, rate: (confidence: number) => number): ScoredExample[] {
  const rng = seededRng('calibration');
  return Array.from({ length: count }, () => {
    const confidence = 0.35 + 0.65 * rng.next();
    const gold = LABELS[rng.below(3)]!;
    const other = LABELS[(LABELS.indexOf(gold) + 1) % 3]!;
    const predicted = rng.next() < rate(confidence) ? gold : other;
    const probabilities = LABELS.map((label) => (label === predicted ? confidence : (1 - confidence) / 2));
    return { gold: [gold], predicted, probabilities };
  });
}

function complete(examples: readonly ScoredExample[], options: Partial<AccumulatorOptions> = {}) {
  const metrics = ['accuracy'];
  const accumulator = new MetricAccumulator({ output: 'label', labels: LABELS, metrics, seed: 'seed', ...options });
  for (const example of examples) accumulator.add(example);
  return accumulator.complete(() => Promise.resolve());
}

describe('calibration', () => {
  it('is that of metrics which are not asked for, and adds up', async () => {
    const { calibration, metrics, resamples } = await complete(answers(3000, (confidence) => confidence));
    const { n, bins, ece, brier, log_loss } = calibration!;

    expect(Object.keys(metrics)).toEqual(['accuracy']);
    expect(Object.keys(resamples)).toEqual(['accuracy', 'right']);
    expect([n, bins.length]).toEqual([3000, 15]);
    expect(bins.reduce((sum, bin) => sum + bin.n, 0)).toBe(3000);
    // nobody is less sure than a third
    expect(bins.slice(0, 5)).toEqual(
      Array.from({ length: 5 }, (_, bin) => ({
        low: bin / 15,
        high: (bin + 1) / 15,
        n: 0,
        confidence: null,
        accuracy: null,
      })),
    );
    for (const bin of bins.slice(5)) {
      expect(bin.confidence).toBeGreaterThanOrEqual(bin.low);
      expect(bin.confidence).toBeLessThanOrEqual(bin.high);
    }
    const gaps = bins.filter((bin) => bin.n > 0).map((bin) => (bin.n / n) * Math.abs(bin.confidence! - bin.accuracy!));
    expect(ece.value).toBeCloseTo(
      gaps.reduce((sum, gap) => sum + gap, 0),
      12,
    );
    const right = bins.reduce((sum, bin) => sum + bin.n * (bin.accuracy ?? 0), 0);
    expect(right / n).toBeCloseTo(metrics['accuracy']!.value, 12);
    for (const { value, low, high, standardError } of [brier, log_loss]) {
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
      expect(standardError).toBeGreaterThan(0);
    }
    expect(ece).toMatchObject({ low: null, high: null, standardError: null });
    expect(ece.band!.low).toBeGreaterThan(0);
    expect(ece.band!.high).toBeGreaterThan(ece.band!.low);
  });

  it('distinguishes a model that is too sure from one that is right about it', async () => {
    const honest = await complete(answers(3000, (confidence) => confidence));
    const boastful = await complete(answers(3000, (confidence) => confidence - 0.25));

    const { ece } = honest.calibration!;
    expect(ece.value).toBeLessThan(0.08);
    expect(ece.value).toBeLessThanOrEqual(ece.band!.high);
    expect(boastful.calibration!.ece.value).toBeCloseTo(0.25, 1);
    expect(boastful.calibration!.ece.value).toBeGreaterThan(boastful.calibration!.ece.band!.high);
    expect(boastful.calibration!.log_loss.value).toBeGreaterThan(honest.calibration!.log_loss.value);
  });

  it('is null where one answer has no probabilities, and so are the metrics that need them', async () => {
    const rows = answers(100, (confidence) => confidence);
    const lacking = rows.map((row, index) => (index === 57 ? { ...row, probabilities: null } : row));
    const metrics = ['accuracy', 'brier', 'auroc', 'macro_f1'];
    const slices = [{ field: 'half' }];
    const sliced = (of: readonly ScoredExample[]) =>
      of.map((row, index) => ({ ...row, slices: { half: [String(index % 2)] } }));

    const scores = await complete(sliced(lacking), { metrics, slices });
    expect(scores.calibration).toBeNull();
    expect(Object.keys(scores.metrics)).toEqual(['accuracy', 'macro_f1']);
    expect(Object.keys(scores.slices['half']!['0']!.metrics)).toEqual(['accuracy', 'macro_f1']);
    expect(Object.keys(scores.sliceSpreads['half']!)).toEqual(['accuracy', 'macro_f1']);
    expect(Object.keys(scores.resamples).sort()).toEqual(['accuracy', 'gap:half', 'macro_f1', 'right', 'worst:half']);

    const whole = await complete(sliced(rows), { metrics, slices });
    expect(Object.keys(whole.metrics)).toEqual(metrics);
    expect(Object.keys(whole.sliceSpreads['half']!)).toEqual(metrics);
    // less is better
    const { worst, best } = whole.sliceSpreads['half']!['brier']!;
    expect(worst.value).toBeGreaterThan(best.value);
  });

  it('judges a tolerated bad answer as a mistake, and a model that gives nothing but those not at all', async () => {
    const rows = answers(60, () => 1);
    const bad = { gold: ['a'], predicted: null, probabilities: null };
    const { calibration } = await complete([...rows, bad]);

    expect(calibration!.n).toBe(61);
    expect(calibration!.brier.value).toBeGreaterThan((await complete(rows)).calibration!.brier.value);
    expect((await complete([bad, bad])).calibration).toBeNull();
  });

  it('is null of an output that is no label', async () => {
    const accumulator = new MetricAccumulator({ output: 'number', metrics: ['mae', 'rmse'], seed: '' });
    for (const value of ['1', '2', '4']) accumulator.add({ gold: ['2'], predicted: value });
    const { calibration, metrics } = await accumulator.complete(() => Promise.resolve());

    expect(calibration).toBeNull();
    expect(metrics['mae']!.value).toBeCloseTo(1, 12);
    expect(metrics['rmse']!.value).toBeCloseTo(Math.sqrt(5 / 3), 12);
    expect(metrics['rmse']).toMatchObject({ low: null, why: 'too few examples' });
  });
});
