import { describe, expect, it } from '@jest/globals';
import { FIRST_PLACE_POPULATIONS, firstPlaceTrials } from '../../../../test/bench/first-place-trials.js';

describe('the models that could be first', () => {
  // one standard deviation of a share of 95% among 60 boards is 2.8 points; the bench takes 2,000
  it.each(FIRST_PLACE_POPULATIONS.map(({ name }, place) => [name, place] as const))(
    'contain the best: %s',
    (_, place) => {
      const { family, boards } = firstPlaceTrials(place, 60, 'guard');
      expect(family / boards).toBeGreaterThanOrEqual(0.85);
    },
  );
});
