import { describe, expect, it } from '@jest/globals';
import { saturation } from './saturation.js';

describe('saturation', () => {
  it('begins at −1 with the first model, is 0 where people are, and follows the best', () => {
    expect(saturation([0.5, 0.4, 0.7, 0.7, 0.9, 1], 0.9, 'higher')).toEqual([
      { place: 0, best: 0.5, saturation: -1 },
      { place: 2, best: 0.7, saturation: expect.closeTo(-0.5, 12) },
      { place: 4, best: 0.9, saturation: 0 },
      { place: 5, best: 1, saturation: expect.closeTo(0.25, 12) },
    ]);
  });

  it('is the same way up where less is better', () => {
    expect(saturation([6, 8, 4, 1], 2, 'lower').map((point) => point.saturation)).toEqual([-1, -0.5, 0.25]);
  });

  it('begins at 1 where the first model is better than people', () => {
    expect(saturation([0.9, 0.95], 0.8, 'higher')[0]).toEqual({
      place: 0,
      best: 0.9,
      saturation: expect.closeTo(1, 12),
    });
  });

  it('is not defined where nobody knows how people do, or the first model does as well', () => {
    expect(saturation([0.5, 0.6], null, 'higher').map((point) => point.saturation)).toEqual([null, null]);
    expect(saturation([0.5, 0.6], 0.5, 'higher').map((point) => point.saturation)).toEqual([null, null]);
    expect(saturation([], 0.5, 'higher')).toEqual([]);
  });
});
