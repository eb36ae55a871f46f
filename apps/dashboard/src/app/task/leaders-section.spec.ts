import { describe, expect, it } from '@jest/globals';
import { leadingTie } from './leaders-section.js';

const row = (tie: boolean, rankLow: number, rankHigh: number) => ({ tie, rankLow, rankHigh });

describe('who can’t be told apart from the first', () => {
  it.each([
    ['nobody, without rows', [], 0],
    ['itself alone', [row(false, 1, 1), row(true, 2, 3), row(true, 2, 3)], 1],
    ['the second as well', [row(true, 1, 2), row(true, 1, 2), row(false, 3, 3)], 2],
    ['the second, and not the group that follows', [row(true, 1, 2), row(true, 1, 2), row(true, 3, 4)], 2],
    ['all', [row(true, 1, 3), row(true, 1, 3), row(true, 1, 3)], 3],
  ])('%s', (_, rows, tied) => expect(leadingTie(rows)).toBe(tied));
});
