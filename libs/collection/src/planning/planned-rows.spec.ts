import type { LeaderboardRow } from '@assay/contracts/boards';
import { expect, it } from '@jest/globals';
import { plannedRows } from './round-plans.service.js';

const row = (id: string, rankLow: number, copies?: readonly string[]): LeaderboardRow =>
  ({ model: { id, name: id, owner: 'ann' }, rankLow, ...(copies && { copies }) }) as LeaderboardRow;
const idsOf = (rows: readonly LeaderboardRow[]): readonly string[] => plannedRows(rows).map(({ model }) => model.id);

it('are those that could be first', () => {
  expect(idsOf([row('a', 1), row('b', 1), row('c', 1), row('d', 3)])).toEqual(['a', 'b', 'c']);
});

it('are the first two if only one could be first', () => {
  expect(idsOf([row('a', 1), row('b', 2), row('c', 2)])).toEqual(['a', 'b']);
  expect(idsOf([row('a', 1)])).toEqual(['a']);
  expect(idsOf([])).toEqual([]);
});

it('have no copies of a model above', () => {
  expect(idsOf([row('a', 1, ['b']), row('b', 1, ['a']), row('c', 1)])).toEqual(['a', 'c']);
  expect(idsOf([row('a', 1, ['b']), row('b', 1, ['a']), row('c', 3)])).toEqual(['a', 'c']);
});

it('are ten at most', () => {
  expect(idsOf(Array.from({ length: 30 }, (_, index) => row(String(index), 1)))).toHaveLength(10);
});
