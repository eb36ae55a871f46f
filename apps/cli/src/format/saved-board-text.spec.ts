import type { Leaderboard } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { savedBoardsTable, savedBoardText } from './saved-board-text.js';

const board: Leaderboard = {
  schema: 1,
  task: 'nli',
  benchmarkVersion: 3,
  revision: 17,
  publishedAt: '2026-05-01T10:20:30.000Z',
  official: false,
  weighing: 'Not the official board: memory 1 → 4.',
  provisional: false,
  metrics: [],
  datasets: [],
  rows: [],
  references: [],
  incomplete: [],
};
const saved = {
  name: 'cheap',
  owner: 'kim',
  description: 'small first',
  createdAt: '2026-05-02T08:00:00.000Z',
  weighing: { weights: { memory: 4 }, datasets: {}, amrs: 'live' as const },
};

describe('boards under a name', () => {
  it('say whose a fork is, and that it is not official', () => {
    const text = savedBoardText({ ...saved, board });
    expect(text).toMatch(
      /^Fork cheap of kim, created 2026-05-02 08:00 UTC\nsmall first\n.*is not official. Show the official board: assay leaderboard nli/,
    );
    expect(text).toContain('revision 17');
  });

  it('say where a snapshot stays, though the board was official once', () => {
    const snapshot = { ...saved, revision: 17, address: 'http://host/s', board: { ...board, official: true } };
    expect(savedBoardText(snapshot)).toMatch(
      /^Snapshot cheap of kim, created 2026-05-02 08:00 UTC: http:\/\/host\/s\n[^]*is not official, although it was at revision 17/,
    );
    expect(savedBoardText({ ...snapshot, board })).toContain(
      'It is frozen and is not official. Show the official board: assay',
    );
  });

  it('are listed with what differs', () => {
    expect(savedBoardsTable([saved])).toMatch(
      /cheap +kim +\S+ \S+ UTC +weights memory 4; exchange rates live +small first/,
    );
    const plain = { weights: {}, datasets: {}, amrs: 'official' as const };
    expect(savedBoardsTable([{ ...saved, weighing: plain, revision: 17 }])).toMatch(/UTC +r17 +nothing +small/);
  });
});
