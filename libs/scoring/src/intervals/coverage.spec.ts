import { describe, expect, it } from '@jest/globals';
import { populationCoverage, populations } from '../../../../test/bench/coverage-populations.js';
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

describe('95% intervals of populations that are hard to cover', () => {
  // bootstraps and large datasets take long, and the bench takes 2,000 datasets of all
  const found = populationCoverage(
    populations().filter(({ reference, examples }) => reference !== null && examples < 500),
    1_000,
    'guard',
  );

  it.each(found)('hold the value, with a width: $what', ({ intervals, covered, pointlike, width, isComparable }) => {
    // one standard deviation of a share of 1,000 is 0.8 points
    if (intervals > 0) expect(covered / intervals).toBeGreaterThan(0.92);
    expect(pointlike).toBe(0);
    if (isComparable) expect(width!).toBeLessThanOrEqual(1.3);
  });

  it('are not given for three annotators', () => {
    expect(found.find(({ what }) => what === 'vMER, 3 uneven annotators')!.intervals).toBe(0);
  });
});
