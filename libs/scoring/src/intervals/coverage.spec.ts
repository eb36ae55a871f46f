import { describe, expect, it } from '@jest/globals';
import { coverageTrials } from '../../../../test/bench/coverage-trials.js';

describe('95% intervals over 40 clusters', () => {
  // one standard deviation of a share of 150 is 1.8 points; the bench takes 1,000 datasets
  const trials = coverageTrials(150, 'guard');

  it.each(trials)('hold the population’s value about 95% of the time: $what', ({ what, intervals, covered }) => {
    expect(covered / intervals).toBeGreaterThan(0.9);
    // a rank is a whole number: where models are apart, its interval is always right
    if (what !== 'joint rank') expect(covered / intervals).toBeLessThan(1);
  });

  it('are all looked at', () => {
    expect(trials.map(({ what }) => what)).toHaveLength(6);
    for (const { intervals } of trials) expect(intervals).toBeGreaterThanOrEqual(150);
  });
});
