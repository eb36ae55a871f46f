import { describe, expect, it } from '@jest/globals';
import { boardContent, published } from '../../../../test/factories/models/board-content.js';
import { leaderboardView } from './leaderboard-view.js';

type Models = Parameters<typeof boardContent>[0];

/** The rank intervals of a board that weighs accuracy 1 and throughput 1, at 1 point per doubling. */
function intervals(
  models: Models,
  { rules = 2, reference = 100 }: { readonly rules?: 1 | 2; readonly reference?: number } = {},
) {
  const content = boardContent(models, {
    schema: 2,
    ...(rules === 2 && { rules }),
    exchange: { kind: 'fixed', rates: { throughput: 1 }, references: { throughput: reference } },
    weights: { accuracy: 1, throughput: 1 },
    spreads: { throughput: 1 },
  });
  const { rows } = leaderboardView(published(content), { amrs: 'official' });
  return Object.fromEntries(rows.map(({ model, rankLow, rankHigh }) => [model.id, [rankLow, rankHigh]]));
}

const model = (throughput: number, relative: number | null, hardware = 'a'): Models[string] => ({
  accuracy: 0.8,
  standardError: 0.000_001,
  throughput,
  known: {
    hardware,
    ...(relative !== null && { costSpreads: { throughput: { relative, measurements: 3 } } }),
  },
});

describe('the noise of costs in ranks', () => {
  it('ties models whose costs differ less than repeated measurements do', () => {
    expect(intervals({ fast: model(104, 0.05), slow: model(100, 0.05) })).toEqual({ fast: [1, 2], slow: [1, 2] });
    expect(intervals({ fast: model(104, 0.001), slow: model(100, 0.001) })).toEqual({ fast: [1, 1], slow: [2, 2] });
  });

  it('gives a model that was measured once the spread of its hardware class', () => {
    const others = { noisy: model(300, 0.05), other: model(900, 0.05) };
    expect(intervals({ ...others, fast: model(104, null), slow: model(100, null) })).toMatchObject({
      fast: [3, 4],
      slow: [3, 4],
    });
  });

  it('separates exact costs where the class has no repeated measurements', () => {
    expect(intervals({ fast: model(104, null), slow: model(100, null) })).toEqual({ fast: [1, 1], slow: [2, 2] });
  });

  it('is wider for a figure that was taken while the model answered', () => {
    const provisional = (throughput: number): Models[string] => ({
      ...model(throughput, 0.02),
      known: { ...model(throughput, 0.02).known, provisionalCosts: true },
    });
    expect(intervals({ fast: model(110, 0.02), slow: model(100, 0.02) }).fast).toEqual([1, 1]);
    expect(intervals({ fast: provisional(110), slow: provisional(100) }).fast).toEqual([1, 2]);
  });

  it('does not depend on the unit of the cost', () => {
    const models = (scale: number): Models => ({
      first: model(104 * scale, 0.03),
      second: model(100 * scale, 0.01),
      third: model(96 * scale, null),
      fourth: model(20 * scale, 0.05),
    });
    const found = intervals(models(1));
    for (const scale of [1 / 1024, 60, 3600]) {
      expect(intervals(models(scale), { reference: 100 * scale })).toEqual(found);
    }
    expect(new Set(Object.values(found).map(String)).size).toBeGreaterThan(1);
  });

  it('is that of all models before rules 2', () => {
    // the median spread of 1 example/s
    expect(intervals({ fast: model(104, 0.05), slow: model(100, 0.05) }, { rules: 1 })).toEqual({
      fast: [1, 1],
      slow: [2, 2],
    });
  });
});
