import { describe, expect, it } from '@jest/globals';
import { bracketOf, firstGroupSize, standingsOf } from './standings.js';

const row = (id: string, tieHead?: string, rankLow: number | null = 1) => ({
  ...{ model: { id }, rankLow, rankHigh: rankLow, first: null },
  ...(tieHead !== undefined && { tieHead }),
});

describe('how sure ranks are', () => {
  const standings = standingsOf([
    row('a', 'a'),
    row('b', 'a'),
    row('c', 'c'),
    row('d', 'c'),
    row('e'),
    row('f', undefined, null),
  ]);

  it('groups the rows that cannot be told apart with the one that heads them', () => {
    expect(Array.from(standings, ([id, { group }]) => [id, group])).toEqual([
      ['a', 'a'],
      ['b', 'a'],
      ['c', 'c'],
      ['d', 'c'],
      ['e', 'e'],
    ]);
    expect([firstGroupSize(standings), firstGroupSize(new Map())]).toEqual([2, 0]);
  });

  it('draws a bracket along neighbours of one group', () => {
    const brackets = ['a', 'a', 'a', 'b', undefined].map((group, index, groups) =>
      bracketOf(group, groups[index - 1], groups[index + 1]),
    );
    expect(brackets).toEqual(['first', 'middle', 'last', undefined, undefined]);
  });
});
