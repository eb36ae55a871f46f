import { describe, expect, it } from '@jest/globals';
import { dueFor, hourlyRate } from './pay.js';

describe('pay', () => {
  it.each([
    [1.5, 10, 10, 1.5],
    [1.5, 12, 10, 1.5],
    [1.5, 0, 10, 0],
    [0.3, 3, 10, 0.09],
    [1, 1, 3, 0.34],
    [0.01, 1, 100, 0.01],
  ])('of %d for %d of %d examples is %d', (amount, done, of, due) => {
    expect(dueFor({ amount }, done, of)).toBe(due);
  });

  it('is computed by the hour', () => {
    expect(hourlyRate(1.5, 600_000)).toBe(9);
    expect(hourlyRate(1.5, 0)).toBeNull();
  });
});
