import { describe, expect, it } from '@jest/globals';
import { fraction, names, nameValues, sharesOf, turnOf, wholeNumber } from './option-values.js';

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

describe('names and values of an option', () => {
  it('are read at the last colon', () => {
    expect(nameValues('accuracy:4, worst:genre:0.5')).toEqual({ accuracy: 4, 'worst:genre': 0.5 });
    expect(nameValues(undefined)).toEqual({});
  });

  it.each(['accuracy', 'accuracy:', ':4', 'accuracy:much'])('refuse %s', (text) => {
    expect(() => nameValues(text)).toThrow(`"${text}" is not of the form name:weight, such as accuracy:4.`);
  });

  it('stand once each in a list', () => {
    expect(names('a, b,,a')).toEqual(['a', 'b']);
  });
});
