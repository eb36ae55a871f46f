import { describe, expect, it } from '@jest/globals';
import { mergePatch } from './merge-patch.js';
import { textChange } from './definition-text.js';

describe('mergePatch', () => {
  it('names what changed, and nulls what is gone', () => {
    const before = { name: 'a', quota: { perDay: 3, total: 9 }, labels: ['x', 'y'], weights: { a: 1 } };
    const after = { name: 'a', quota: { total: 9, perDay: 4 }, labels: ['x'], extra: true };
    expect(mergePatch(before, after)).toEqual({ quota: { perDay: 4 }, labels: ['x'], weights: null, extra: true });
  });

  it('is empty for the same data in another order', () => {
    expect(mergePatch({ a: 1, b: { c: [1], d: 2 } }, { b: { d: 2, c: [1] }, a: 1 })).toEqual({});
  });
});

describe('textChange', () => {
  it.each([
    ['abc', 'abXc'],
    ['aaa', 'aa'],
    ['', 'new'],
    ['one two', 'one 2'],
  ])('makes %j into %j by one replacement', (before, after) => {
    const { from, to, insert } = textChange(before, after)!;
    expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
  });

  it('is nothing where nothing changed', () => expect(textChange('a', 'a')).toBeUndefined());
});
