import type { Leaderboard } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { standingOn } from './standing.js';

const model = (id: string) => ({ id, name: id, owner: 'ada' });
const missing = [{ dataset: 'round-1', why: 'no throughput: predictions were uploaded' }];
const BOARD = {
  rows: [{ rank: 1, rankLow: 1, rankHigh: 2, model: model('ranked') }],
  incomplete: [
    { model: model('without'), pending: false, missing },
    { model: model('coming'), pending: true, missing },
  ],
} as unknown as Leaderboard;

describe('standingOn', () => {
  it('finds the row of a ranked model', () => {
    expect(standingOn(BOARD, 'ranked')).toMatchObject({ kind: 'ranked', row: { rank: 1, rankHigh: 2 } });
  });

  it('says what a model lacks that has no rank', () => {
    expect(standingOn(BOARD, 'without')).toEqual({
      kind: 'incomplete',
      reasons: ['round-1: no throughput: predictions were uploaded'],
    });
  });

  it('waits for what is pending, and for a board that does not know the model', () => {
    expect(standingOn(BOARD, 'coming')).toEqual({ kind: 'unknown' });
    expect(standingOn(BOARD, 'nobody')).toEqual({ kind: 'unknown' });
  });
});
