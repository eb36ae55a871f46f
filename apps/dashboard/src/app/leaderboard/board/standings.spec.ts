import { describe, expect, it } from '@jest/globals';
import { candidateCount, isTiedAt, standingsOf } from './standings.js';

const row = (
  id: string,
  couldBeFirst: boolean | null,
  tied: readonly (readonly number[])[],
  rankLow: number | null = 1,
) => ({
  ...{ model: { id }, rankLow, rankHigh: rankLow, couldBeFirst, tied },
});

describe('how certain ranks are', () => {
  const standings = standingsOf([
    row('a', true, [[2, 2]]),
    row('b', true, [
      [1, 1],
      [3, 3],
    ]),
    row('c', false, [[2, 2]]),
    row('unknown', null, [], null),
  ]);

  it('counts the models that could be first', () => {
    expect(Array.from(standings.keys())).toEqual(['a', 'b', 'c']);
    expect([candidateCount(standings), candidateCount(new Map())]).toEqual([2, 0]);
  });

  it('marks possible copies', () => {
    const found = standingsOf([{ ...row('a', true, []), possibleCopyOf: ['b'] }, row('c', false, [])]);
    expect([found.get('a')!.isPossibleCopy, found.get('c')!.isPossibleCopy]).toEqual([true, false]);
  });

  it('tells which rows are tied with a row', () => {
    expect([0, 1, 2, undefined].map((place) => isTiedAt(standings.get('b')!, place))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('reads boards that do not say it', () => {
    const old = standingsOf([{ model: { id: 'a' }, rankLow: 1, rankHigh: 2 }]);
    expect(old.get('a')).toEqual({ rankLow: 1, rankHigh: 2, couldBeFirst: false, tied: [], isPossibleCopy: false });
  });
});
