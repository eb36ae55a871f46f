import { describe, expect, it } from '@jest/globals';
import { isoOf, localOf, turningSentences } from './turning-rule.js';

const written = { count: String, percent: (ratio: number) => String(ratio * 100), time: (iso: string) => `at ${iso}` };

describe('what closes a round', () => {
  it('goes to a field and back without loss', () => {
    const iso = '2026-12-24T18:30:00.000Z';
    expect(isoOf(localOf(iso))).toBe(iso);
    expect([localOf(undefined), isoOf('')]).toEqual(['', undefined]);
  });

  it('is described in a sentence for each bound', () => {
    expect(turningSentences({}, written)).toEqual([]);
    expect(turningSentences({ examples: 500, saturation: 0.9, pending: 'await' }, written)).toEqual([
      'It closes with 500 examples written.',
      'It closes when a new model gets 90 % of what fooled right.',
    ]);
  });
});
