import type { Evaluation } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { calibrationText, reliabilityText } from './calibration-text.js';
import { perturbedText, slicesText } from './evaluation-details.js';

const estimate = (value: number) => ({ value, low: value - 0.02, high: value + 0.02 });

const plain: Evaluation = {
  dataset: 'round-1',
  version: 2,
  state: 'scored',
  examples: 400,
  metrics: { accuracy: estimate(0.6) },
  measures: {},
  slices: {},
};

describe('what an evaluation says by slice', () => {
  const sliced = {
    ...plain,
    sliceSpreads: {
      genre: {
        accuracy: {
          worst: { ...estimate(0.41), slice: 'fiction' },
          best: { ...estimate(0.71), slice: 'news' },
          gap: estimate(0.3),
          chance: { mean: 0.08, high: 0.14 },
          slices: 5,
          standingOut: ['fiction'],
        },
      },
    },
  };

  it('is the worst, the best, and their gap beside that of chance', () => {
    expect(slicesText([plain, sliced])).toMatch(
      /round-1 v2 +genre +accuracy % +fiction 41\.0 ± 2\.0 +news 71\.0 ± 2\.0 +30\.0 ± 2\.0 +8\.0 \(≤ 14\.0\) +fiction$/m,
    );
    expect(slicesText([sliced])).not.toContain('groups');
    expect(slicesText([plain])).toBe('');
    expect(slicesText([{ ...sliced, perturbation: 'robustness' }])).toBe('');
  });

  it('names the groups that were matched', () => {
    const { accuracy } = sliced.sliceSpreads.genre;
    const matched = { ...accuracy, standingOut: [], matched: { groups: 1200, values: {} } };
    const text = slicesText([{ ...sliced, sliceSpreads: { genre: { accuracy: matched } } }]);
    expect(text).toMatch(/8\.0 \(≤ 14\.0\) +·$/m);
    expect(text).toContain('round-1 v2: genre is compared in the 1,200 groups that hold every value.');
  });
});

describe('what an evaluation says of perturbed examples', () => {
  const figures = {
    originals: 120,
    variants: 300,
    stayedRight: estimate(0.5),
    mean: estimate(0.7),
    stability: estimate(0.9),
    performance: 0.55,
    drop: estimate(0.05),
  };
  const perturbed: Evaluation = {
    ...plain,
    perturbation: 'robustness',
    perturbed: {
      ...figures,
      transforms: {
        case: { ...figures, variants: 120, validated: 40, kept: 39, ranks: true },
        typos: { ...figures, stayedRight: null, mean: null, stability: null, validated: 40, kept: 30, ranks: false },
        swaps: { ...figures, validated: 0, kept: 0, ranks: true },
      },
    },
  };

  it('is shown for all, and for each transform', () => {
    const lines = perturbedText([perturbed]).split('\n');
    expect(lines[1]).toMatch(
      /^round-1 robustness v2 +all +120 +300 +50\.0 ± 2\.0 +70\.0 ± 2\.0 +90\.0 ± 2\.0 +55\.0 +5\.0 ± 2\.0 +·$/,
    );
    expect(lines[2]).toMatch(/^ +case +120 +120 .* 39 of 40$/);
    expect(lines[3]).toMatch(/typos \(does not rank\) +120 +300 +· +· +· +55\.0 .* 30 of 40$/);
    expect(lines[4]).toMatch(/swaps .* ·$/);
    expect(perturbedText([plain])).toBe('');
  });

  it('is in the unit of numbers where the task is about numbers', () => {
    const text = perturbedText([{ ...perturbed, metrics: { mae: estimate(2) } }]);
    expect(text.split('\n')[1]).toMatch(/ 0\.550 +0\.0500 ± 0\.0200 /);
  });
});

describe('how calibrated an evaluation is', () => {
  const bin = (low: number, n: number, confidence: number | null, accuracy: number | null) => ({
    low,
    high: low + 0.1,
    n,
    confidence,
    accuracy,
  });
  const calibrated: Evaluation = {
    ...plain,
    calibration: {
      n: 400,
      ece: estimate(0.08),
      brier: estimate(0.4),
      log_loss: { value: 0.7, low: 0.6, high: 0.8 },
      bins: [bin(0.5, 0, null, null), bin(0.9, 400, 0.95, 0.5)],
    },
  };

  it('is said in three figures', () => {
    expect(calibrationText([calibrated])).toMatch(/^round-1 v2 +400 +8\.0 ± 2\.0 +40\.0 ± 2\.0 +0\.700 ± 0\.100$/m);
    expect(calibrationText([plain])).toBe('');
    expect(calibrationText([{ ...calibrated, perturbation: 'fairness' }])).toBe('');
  });

  it('is drawn bin by bin, without those that are empty', () => {
    const lines = reliabilityText([calibrated]).split('\n');
    expect(lines[0]).toBe('Reliability on round-1 v2');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^ *90–100 +400 +95\.0 +50\.0 +█{10}·{9}│$/);
  });
});
