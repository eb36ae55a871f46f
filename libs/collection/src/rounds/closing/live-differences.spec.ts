import { describe, expect, it } from '@jest/globals';
import { differsTooOften } from './live-differences.js';

describe('a model in the loop', () => {
  it.each([
    // 2 are tolerated, and 4.5 standard errors of 1.34
    [20, 8, 0, false],
    [20, 9, 0, true],
    [1000, 142, 0, false],
    [1000, 143, 0, true],
    // a model that answers a fifth differently when it is asked twice
    [20, 19, 0.2, false],
    [1000, 560, 0.2, false],
    [1000, 580, 0.2, true],
    [1000, 1000, 0.5, false],
  ])(
    'that answered people differently: of %d examples %d, repeated %d: %s',
    (compared, different, repeated, expected) => {
      expect(differsTooOften({ compared, different }, repeated)).toBe(expected);
    },
  );
});
