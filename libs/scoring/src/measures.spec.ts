import { describe, expect, it } from '@jest/globals';
import { medianOf } from './measures.js';

describe('medianOf', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    expect(medianOf([])).toBeNull();
    expect(medianOf([9, 1, 4])).toBe(4);
    expect(medianOf([9, 1, 4, 6])).toBe(5);
  });
});
