import { describe, expect, it } from '@jest/globals';
import { pairedBounds } from './paired-bounds.js';

/** Returns P(X = k) for X from Binomial(n, p). */
function probability(k: number, n: number, p: number): number {
  let coefficient = 1;
  for (let index = 0; index < k; index++) coefficient *= (n - index) / (index + 1);
  return coefficient * p ** k * (1 - p) ** (n - k);
}

describe('pairedBounds', () => {
  it.each([
    { one: 0, other: 0, excludes: false },
    { one: 1, other: 0, excludes: false },
    { one: 5, other: 0, excludes: false },
    { one: 6, other: 0, excludes: true },
    { one: 8, other: 1, excludes: true },
    { one: 7, other: 2, excludes: false },
  ])('$one to $other excludes 0: $excludes', ({ one, other, excludes }) => {
    const [low, high] = pairedBounds({ one, other, examples: 500 }, 0.05);
    expect(low > 0).toBe(excludes);
    expect(low).toBeLessThanOrEqual((one - other) / 500);
    expect(high).toBeGreaterThanOrEqual((one - other) / 500);
    const [opposite, least] = pairedBounds({ one: other, other: one, examples: 500 }, 0.05);
    expect([-least, -opposite]).toEqual([low, high]);
  });

  it('without a difference the bounds are those of a share without a case', () => {
    // 1 − 0.0025^(1/100), the upper bound of Clopper and Pearson for 0 of 100
    expect(pairedBounds({ one: 0, other: 0, examples: 100 }, 0.05)[1]).toBeCloseTo(1 - 0.0025 ** 0.01, 10);
  });

  it('is narrower for more examples and for a larger error', () => {
    const width = (examples: number, error: number) => {
      const [low, high] = pairedBounds({ one: 3, other: 1, examples }, error);
      return high - low;
    };
    expect(width(1000, 0.05)).toBeLessThan(width(100, 0.05));
    expect(width(100, 0.2)).toBeLessThan(width(100, 0.01));
    expect(width(2_000_000, 0.05)).toBeLessThan(2e-5);
  });

  it.each([
    [0.02, 0.9],
    [0.05, 0.5],
    [0.1, 0.7],
    [0.01, 1],
  ])('covers the difference if %d of examples differ and a share of %d favours the first', (rate, theta) => {
    const examples = 60;
    let covered = 0;
    let total = 0;
    for (let differing = 0; differing <= 12; differing++) {
      for (let one = 0; one <= differing; one++) {
        const weight = probability(differing, examples, rate) * probability(one, differing, theta);
        const [low, high] = pairedBounds({ one, other: differing - one, examples }, 0.05);
        const truth = rate * (2 * theta - 1);
        total += weight;
        if (low <= truth && truth <= high) covered += weight;
      }
    }
    expect(covered / total).toBeGreaterThanOrEqual(0.95);
  });
});
