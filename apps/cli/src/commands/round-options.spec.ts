import { describe, expect, it } from '@jest/globals';
import { fraction, sharesOf, turnOf, wholeNumber } from './round-options.js';

describe('what closes a round', () => {
  it('is what is named, and nothing where nothing is', () => {
    expect(turnOf({})).toBeUndefined();
    expect(turnOf({ examples: 200, until: '2026-12-24', saturation: 0.6 })).toEqual({
      examples: 200,
      closesAt: '2026-12-24T00:00:00.000Z',
      saturation: 0.6,
    });
    expect(() => turnOf({ until: 'soon' })).toThrow('"soon" is not a valid time');
  });

  it('has numbers and shares as people write them', () => {
    expect(['0.6', '60%', '1'].map(fraction)).toEqual([0.6, 0.6, 1]);
    expect(sharesOf('0.8, 0.1,0.1')).toEqual({ train: 0.8, dev: 0.1, test: 0.1 });
    for (const text of ['0', '1.1', '', 'x', '%']) expect(() => fraction(text)).toThrow('share');
    for (const text of ['1', '1,2', '1,,2', 'a,b,c']) expect(() => sharesOf(text)).toThrow('three');
    for (const text of ['0', '-1', '1.5', 'x']) expect(() => wholeNumber(text)).toThrow('whole number');
  });
});
