import { describe, expect, it } from '@jest/globals';
import { compareRounded } from './compare-rounded.js';

describe('a comparison of rounded scores', () => {
  it('adds the variances of both', () => {
    const { difference, p, detectable, discordant } = compareRounded(
      { value: 0.7, standardError: 0.03 },
      { value: 0.6, standardError: 0.04 },
      500,
    );
    expect(difference).toEqual({
      value: expect.closeTo(0.1),
      low: expect.closeTo(0.002),
      high: expect.closeTo(0.198),
      standardError: expect.closeTo(0.05),
    });
    expect(p).toBeCloseTo(0.0455);
    expect(detectable).toBeCloseTo(0.14);
    expect(discordant).toBeNull();
  });

  it('has no interval and no p without the error of either', () => {
    const compared = compareRounded({ value: 0.7, standardError: null }, { value: 0.6, standardError: 0.04 }, 500);
    expect(compared).toMatchObject({ difference: { low: null, high: null, standardError: null }, p: null });
  });
});
