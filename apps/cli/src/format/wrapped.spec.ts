import { describe, expect, it } from '@jest/globals';
import { shortened, wrapped } from './wrapped.js';

describe('wrapped', () => {
  it('breaks a line between words, and sets what follows in', () => {
    expect(wrapped('one two three four', 9)).toBe('one two\n  three\n  four');
    expect(wrapped('  one two three', 10)).toBe('  one two\n    three');
  });

  it('leaves what fits, and a word that fits nowhere', () => {
    expect(wrapped('one\n   two   three', 20)).toBe('one\n   two   three');
    expect(wrapped('a incomprehensibilities b', 10)).toBe('a\n  incomprehensibilities\n  b');
    expect(wrapped('one two', Infinity)).toBe('one two');
  });
});

describe('shortened', () => {
  it('says that something is missing', () => {
    expect(shortened('abcdef', 6)).toBe('abcdef');
    expect(shortened('abcdefg', 6)).toBe('abcde…');
  });
});
