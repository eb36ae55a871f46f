import { describe, expect, it } from '@jest/globals';
import { firstPlaceTrials } from '../../../../test/bench/first-place-trials.js';

describe('the models that could be first', () => {
  // one standard deviation of a share of 95% among 60 boards is 2.8 points; the bench takes 2,000
  it.each(firstPlaceTrials(60, 'guard'))('contain the best: $population', ({ family, boards }) => {
    expect(family / boards).toBeGreaterThanOrEqual(0.85);
  });
});
