import { wilson } from '@assay/scoring/intervals';
import { describe, expect, it } from '@jest/globals';
import { allowedShare } from './known-answers.js';

describe('the share of answers that may be otherwise', () => {
  it('is that of sums of floats where a model answers the same twice, or was never asked', () => {
    expect(allowedShare({ compared: 200, different: 0 })).toBe(0.01);
    expect(allowedShare({ compared: 0, different: 0 })).toBe(0.01);
  });

  it('is twice what is known, where that is known well', () => {
    expect(allowedShare({ compared: 200, different: 40 })).toBeCloseTo(0.41);
  });

  it('is what few examples leave open, where it is known from few', () => {
    const once = allowedShare({ compared: 20, different: 1 });
    expect(once).toBeCloseTo(0.01 + wilson(0.05, 20).high);
    expect(once).toBeGreaterThan(0.2);
  });
});
