import { describe, expect, it } from '@jest/globals';
import { shownValue } from './context-fields.js';

const numbers = { threeDigits: (value: number) => value.toPrecision(3) };

describe('the value of an input', () => {
  it.each([
    ['text', 'It rains.', { kind: 'text', text: 'It rains.' }],
    ['code', 'f(x)', { kind: 'code', text: 'f(x)' }],
    ['year', 1914, { kind: 'text', text: '1914' }],
    ['weight', 0.12345, { kind: 'text', text: '0.123' }],
    ['choices', ['a', 2], { kind: 'list', items: ['a', '2'] }],
    ['image', { b64: 'AA==', mediaType: 'image/png' }, { kind: 'image', source: 'data:image/png;base64,AA==' }],
  ])('of %s is shown as what it is', (name, value, shown) => expect(shownValue(name, value, numbers)).toEqual(shown));

  it('is never taken for a picture where it says that it is something else', () => {
    const page = { b64: 'AA==', mediaType: 'text/html' };
    expect(shownValue('image', page, numbers)).toEqual({ kind: 'code', text: JSON.stringify(page, null, 2) });
  });
});
