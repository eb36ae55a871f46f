import { describe, expect, it } from '@jest/globals';
import { names, nameValues } from './name-values.js';

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
