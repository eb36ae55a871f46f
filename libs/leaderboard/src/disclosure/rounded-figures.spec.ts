import { describe, expect, it } from '@jest/globals';
import { roundedFigures } from './rounded-figures.js';

const accuracy = { value: 0.8009478673, low: 0.7418302, high: 0.8492011, standardError: 0.0274901 };
const rounded = { value: 0.8, low: 0.7, high: 0.85, standardError: expect.any(Number), rounded: true };
const bare = { value: 0.1234567, low: null, high: null };

describe('the figures of an evaluation, rounded', () => {
  it('are those of all scores, and leave costs and what else the evaluation has', () => {
    const measures = { throughput: 123.456789 };
    const slices = { tags: { rare: { n: 211, metrics: { accuracy } } } };
    expect(
      roundedFigures({ state: 'scored', metrics: { accuracy, ece: bare }, measures, slices, invalid: 7 }, 211),
    ).toEqual({
      state: 'scored',
      metrics: { accuracy: rounded, ece: { value: 0.1, low: null, high: null, standardError: null, rounded: true } },
      measures,
      slices: { tags: { rare: { n: 211, metrics: { accuracy: rounded } } } },
      invalid: 8,
    });
  });

  it('include the reliability diagram, without exact counts', () => {
    const bins = [
      { low: 0, high: 0.5, n: 0, confidence: null, accuracy: null },
      { low: 0.5, high: 1, n: 211, confidence: 0.7654321, accuracy: 0.8009478673 },
    ];
    const calibration = { n: 211, ece: bare, brier: accuracy, log_loss: accuracy, bins };
    const shown = roundedFigures({ calibration }, 211).calibration;
    expect(shown).toMatchObject({ n: 211, ece: { value: 0.1 }, brier: rounded, log_loss: rounded });
    expect(shown.bins).toEqual([bins[0], { low: 0.5, high: 1, n: 211, confidence: 0.75, accuracy: 0.8 }]);
  });

  it('include those of perturbed examples and of slices that are compared', () => {
    const figures = {
      originals: 211,
      variants: 211,
      stayedRight: accuracy,
      mean: accuracy,
      stability: null,
      performance: 0.7654321,
      drop: accuracy,
    };
    const transform = { ...figures, validated: 30, kept: 29, ranks: true };
    const spread = {
      worst: { ...accuracy, slice: 'rare' },
      best: { ...accuracy, slice: 'common' },
      gap: accuracy,
      chance: { mean: 0.0123456, high: 0.0654321 },
      slices: 2,
      matched: { groups: 3, values: { rare: { n: 100, value: 0.7654321 } } },
      standingOut: ['rare'],
    };
    const { perturbed, sliceSpreads } = roundedFigures(
      { perturbed: { ...figures, transforms: { case: transform } }, sliceSpreads: { tags: { accuracy: spread } } },
      211,
    );
    const shown = { stayedRight: rounded, mean: rounded, stability: null, performance: 0.75, drop: rounded };
    expect(perturbed).toMatchObject({
      ...shown,
      originals: 211,
      transforms: { case: { ...shown, validated: 30, kept: 29 } },
    });
    expect(sliceSpreads.tags.accuracy).toEqual({
      ...spread,
      worst: { ...rounded, slice: 'rare' },
      best: { ...rounded, slice: 'common' },
      gap: rounded,
      chance: { mean: 0, high: 0.05 },
      matched: { groups: 3, values: { rare: { n: 100, value: 0.8 } } },
    });
  });
});
