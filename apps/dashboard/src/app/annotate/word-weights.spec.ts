import { describe, expect, it } from '@jest/globals';
import { shadedPieces } from './word-weights.js';

const token = (start: number, end: number, weight: number) => ({ token: '', start, end, weight });

describe('shadedPieces', () => {
  it('has every character of the text once, weighed ones beside what stands between', () => {
    const text = 'not so bad';
    const pieces = shadedPieces(text, [token(7, 10, -0.5), token(0, 3, 1)], 1);
    expect(pieces).toEqual([
      { text: 'not', weight: 1, share: 1 },
      { text: ' so ', weight: 0, share: 0 },
      { text: 'bad', weight: -0.5, share: -0.5 },
    ]);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  });

  it('leaves out what overlaps, is empty or lies outside', () => {
    const pieces = shadedPieces('one two', [token(0, 3, 1), token(2, 5, 1), token(4, 4, 1), token(4, 90, 1)], 1);
    expect(pieces.map((piece) => piece.text)).toEqual(['one', ' two']);
  });

  it('shades nothing where nothing matters', () => {
    expect(shadedPieces('one', [token(0, 3, 0)], 0)).toEqual([{ text: 'one', weight: 0, share: 0 }]);
  });
});
