import { describe, expect, it } from '@jest/globals';
import { sliderEnd } from './weights-panel.js';

describe('the end of a slider', () => {
  it.each([
    [[4, 1, 1], 1, 10],
    [[0.57, 0.14], 0.14, 2],
    [[1], 1, 2],
    [[5], 5, 10],
    [[4, 1], 30, 50],
    [[0], 0, 1],
    [[], 0, 1],
  ])('of weights %j with one of %d is %d', (official, weight, end) => {
    expect(sliderEnd(official, weight)).toBeCloseTo(end, 12);
  });
});
