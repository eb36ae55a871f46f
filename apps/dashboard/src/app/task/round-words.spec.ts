import type { RoundCounts } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { progressOf, turningWords } from './round-words.js';

describe('what closes a round', () => {
  it('is said for each part of its rule', () =>
    expect(turningWords({ examples: 20, closesAt: '2026-01-02', saturation: 0.6 }, (at) => `day ${at}`)).toEqual([
      'at 20 examples',
      'on day 2026-01-02',
      'when a new model is right on 60 % of what fooled the target models',
    ]));

  it('is nothing where only its owner does', () => expect(turningWords({}, String)).toEqual([]));

  it('has a progress where it is counted', () =>
    expect(progressOf({ turn: { validated: 10 }, counts: { examples: 9, validated: 4 } as RoundCounts })).toEqual([
      { name: 'validated examples', done: 4, of: 10 },
    ]));

  it.each([
    [
      { examples: 500, validated: 100 },
      { done: 41, of: 500 },
    ],
    [{ validated: 100 }, { done: 12, of: 100 }],
    [{ closesAt: '2099-01-01T00:00:00Z' }, undefined],
    [null, undefined],
  ])('is counted first by the examples that it wants: %j', (turn, progress) => {
    const [first] = progressOf({ turn, counts: { examples: 41, validated: 12 } as RoundCounts });
    expect(first && { done: first.done, of: first.of }).toEqual(progress);
  });
});
