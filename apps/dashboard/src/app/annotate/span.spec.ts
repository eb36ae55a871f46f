import { describe, expect, it } from '@jest/globals';
import { markedSpan, placeInText, placeShown } from './span.js';

describe('what is marked', () => {
  const marked = (text: string, start: number, end: number): string | null => {
    const span = markedSpan(text, { start, end });
    return span && text.slice(span.start, span.end);
  };

  it('is what was selected, without white space at its ends', () => {
    expect(markedSpan('born in 1818, at sea', { start: 7, end: 12 })).toEqual({ start: 8, end: 12 });
    expect(marked('one\n two ', 3, 9)).toBe('two');
  });

  it('is nothing where nothing, or white space alone, is selected', () => {
    expect(marked('one two', 2, 2)).toBeNull();
    expect(marked('one   two', 3, 6)).toBeNull();
  });

  it('never has half of a character that is made of two units', () => {
    const text = 'a 𝒳 b';
    expect(markedSpan(text, { start: 3, end: 4 })).toEqual({ start: 2, end: 4 });
    expect(markedSpan(text, { start: 0, end: 3 })).toEqual({ start: 0, end: 4 });
  });

  it('has whole families and accents, which people see as one character', () => {
    expect(marked('my 👩‍👩‍👧 here', 4, 5)).toBe('👩‍👩‍👧');
    expect(marked('cafe\u0301 noir', 0, 4)).toBe('cafe\u0301');
  });

  it('counts in units, so that what follows a wide character is found by others', () => {
    const text = '🚢 sails at dawn';
    expect(markedSpan(text, { start: 3, end: 8 })).toEqual({ start: 3, end: 8 });
    expect(text.slice(3, 8)).toBe('sails');
  });
});

describe('places in a text whose lines end with two characters', () => {
  const text = 'one\r\ntwo\r\nthree';
  const shown = text.replaceAll('\r\n', '\n');

  it.each(['one', 'two', 'three'])('are found from those of the field that shows it: %s', (word) => {
    expect(placeInText(text, shown.indexOf(word))).toBe(text.indexOf(word));
    expect(placeShown(text, text.indexOf(word))).toBe(shown.indexOf(word));
  });

  it('are the same where lines end with one', () => {
    expect(placeInText('one\ntwo', 5)).toBe(5);
    expect(placeShown('one\ntwo', 5)).toBe(5);
  });
});
