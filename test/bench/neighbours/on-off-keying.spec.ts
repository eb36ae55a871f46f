import { describe, expect, it } from '@jest/globals';
import { capacity, received } from './on-off-keying.js';

describe('on–off keying', () => {
  const sent = [true, false, true, false, true, true, false, false];

  it('decodes what is larger, or smaller, while the sender works', () => {
    expect(received([9, 1, 8, 2, 7, 9, 3, 1], sent, 4)).toEqual({ symbols: 4, errors: 0 });
    expect(received([1, 9, 2, 8, 3, 1, 7, 9], sent, 4)).toEqual({ symbols: 4, errors: 0 });
  });

  it('counts the errors after the training alone', () => {
    expect(received([9, 1, 1, 2, 7, 1, 3, 9], sent, 4)).toEqual({ symbols: 4, errors: 2 });
  });

  it('needs both bits in the training', () => {
    expect(() => received([1, 2], [true, true], 2)).toThrow(RangeError);
  });

  it('carries a whole bit without errors, and nothing at chance', () => {
    expect(capacity(0)).toBe(1);
    expect(capacity(0.5)).toBe(0);
    expect(capacity(0.11)).toBeCloseTo(0.5, 2);
    expect(capacity(0.6)).toBe(0);
  });
});
