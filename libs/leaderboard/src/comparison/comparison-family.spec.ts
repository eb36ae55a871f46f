import { describe, expect, it } from '@jest/globals';
import { correctedComparison } from './comparison-family.js';
import type { ComparedVersion } from './dataset-comparisons.js';
import { overallDifference } from './difference-views.js';

const difference = (value: number, p: number) => ({
  difference: { value, low: value - 0.04, high: value + 0.04, standardError: 0.02 },
  p,
});
const dataset = (name: string, metrics: Readonly<Record<string, ReturnType<typeof difference>>>) =>
  ({ counts: true, view: { dataset: name, weight: 1, metrics } }) as unknown as ComparedVersion;
const overallOf = (compared: readonly ComparedVersion[], metric: string) =>
  overallDifference(compared.map(({ view }) => ({ weight: view.weight, ...view.metrics[metric]! })))!;

describe('correctedComparison', () => {
  it('corrects all metrics on all datasets and over all datasets together', () => {
    const compared = [
      dataset('r1', { accuracy: difference(0.05, 0.02), rmse: difference(0.05, 0.001) }),
      dataset('r2', { accuracy: difference(0.01, 0.6), rmse: difference(-0.05, 0.002) }),
    ];
    const overall = { accuracy: { ...difference(0.03, 0.5) } };
    const { datasets, overall: corrected } = correctedComparison(compared, overall, 'accuracy');

    expect(datasets.map(({ metrics }) => metrics)).toMatchObject([
      { accuracy: { holm: 0.06, better: null }, rmse: { holm: 0.005, better: 'b' } },
      { accuracy: { holm: 1, better: null }, rmse: { holm: 0.008, better: 'a' } },
    ]);
    expect(corrected['accuracy']).toMatchObject({ p: 0.5, holm: 1, better: null });
  });

  it('counts a difference once if only one dataset contributes to it', () => {
    const compared = [dataset('only', { accuracy: difference(0.05, 0.03) })];
    const found = correctedComparison(compared, { accuracy: overallOf(compared, 'accuracy') }, 'accuracy');

    const verdict = { p: 0.03, holm: 0.03, better: 'a' };
    expect(found.datasets[0]!.metrics['accuracy']).toMatchObject(verdict);
    expect(found.overall['accuracy']).toMatchObject(verdict);
  });
});
