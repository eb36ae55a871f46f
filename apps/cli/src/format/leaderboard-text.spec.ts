import { describe, expect, it } from '@jest/globals';
import { leaderboardText, tieBrackets, type Leaderboard } from './leaderboard-text.js';

const estimate = (value: number) => ({ value, low: value - 0.011, high: value + 0.011 });

const row = (rank: number, name: string, tie: boolean, accuracy: number): Leaderboard['rows'][number] => ({
  rank,
  rankLow: tie ? 1 : rank,
  rankHigh: tie ? 2 : rank,
  tie,
  first: null,
  officialRank: rank,
  model: { id: name, name, owner: 'kim' },
  kind: 'container',
  dynascore: accuracy * 100,
  metrics: { accuracy: estimate(accuracy) },
  datasets: {},
});

const board: Leaderboard = {
  task: 'nli',
  benchmarkVersion: 3,
  revision: 17,
  publishedAt: '2026-05-01T10:20:30.000Z',
  official: true,
  provisional: false,
  metrics: [
    { name: 'accuracy', direction: 'higher', unit: 'ratio', weight: 4, amrs: null },
    { name: 'memory', direction: 'lower', unit: 'GiB', weight: 1, amrs: null },
  ],
  datasets: [],
  rows: [row(1, 'albert', true, 0.632), row(2, 'xlnet', true, 0.588), row(3, 'bart', false, 0.4)],
  references: [{ name: 'majority', metrics: { accuracy: estimate(0.334) }, datasets: {} }],
  incomplete: [
    {
      model: { id: 'r', name: 'roberta', owner: 'ada' },
      pending: false,
      missing: [
        { dataset: 'anli-r2', why: 'out of memory' },
        { dataset: 'anli-r3', why: 'out of memory' },
      ],
    },
  ],
};

describe('leaderboardText', () => {
  const text = leaderboardText(board);
  const lines = text.split('\n');

  it('says which board it is', () => {
    expect(lines[0]).toBe('nli · benchmark version 3, revision 17 of 2026-05-01 10:20 UTC');
    expect(lines[1]).toBe('Weights: accuracy 4, memory 1');
  });

  it('has the units and the direction in the titles', () => {
    expect(lines[3]).toMatch(/# +model +owner +score ↑ +accuracy % ↑$/);
  });

  it('puts a bracket around rows that can not be told apart, and says so once', () => {
    expect(lines[4]).toMatch(/^┌ 1 +1–2 +albert +kim +63\.2 +63\.2 ± 1\.1/);
    expect(lines[5]).toMatch(/^└ 2 +1–2 +xlnet/);
    expect(lines[6]).toMatch(/^ {2}3 +bart/);
    expect(text.match(/can not be told apart/g)).toHaveLength(1);
  });

  it('shows the references, and why a model is incomplete', () => {
    expect(lines[7]).toMatch(/─ +majority +\(reference\) +33\.4/);
    expect(text).toContain('Incomplete: roberta (ada)\n  anli-r2, anli-r3: out of memory');
  });

  it('leaves out what does not count where there is no room, and never what does', () => {
    const throughput = { name: 'throughput', direction: 'higher', unit: 'examples/s', weight: 0, amrs: null } as const;
    const values = { accuracy: estimate(0.6), throughput: { value: 41, low: null, high: null } };
    const wide = { ...board, metrics: [...board.metrics, throughput], rows: [{ ...board.rows[0]!, metrics: values }] };
    expect(leaderboardText(wide)).toContain('throughput ex/s');
    const narrow = leaderboardText(wide, 20);
    expect(narrow).not.toContain('throughput ex/s');
    expect(narrow).toContain('accuracy %');
  });

  it('gives the first step where nothing is ranked', () => {
    const empty = leaderboardText({ ...board, rows: [], references: [], incomplete: [] });
    expect(empty).toContain('assay submit');
  });

  it('says where the weights are not the official ones, with the official rank', () => {
    const moved = { ...board, official: false, rows: [{ ...row(1, 'xlnet', false, 0.588), officialRank: 2 }] };
    expect(leaderboardText(moved)).toMatch(/Weights \(not the official ones\)[^]*1 \(2\)/);
  });
});

describe('tieBrackets', () => {
  it('draws each group for itself', () => {
    const ranks: [boolean, number, number][] = [
      [true, 1, 3],
      [true, 1, 3],
      [true, 2, 3],
      [true, 4, 5],
      [true, 4, 5],
      [false, 6, 6],
    ];
    const rows = ranks.map(([tie, rankLow, rankHigh]) => ({ tie, rankLow, rankHigh }));
    expect(tieBrackets(rows).join('')).toBe('┌│└┌└ ');
  });
});
