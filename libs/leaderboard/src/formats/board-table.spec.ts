import type { LeaderboardView } from '@assay/contracts';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { boardContent, boardDataset, published } from '../../../../test/factories/board-content.js';
import { leaderboardView } from '../leaderboard-view.js';
import { boardTable } from './board-table.js';
import { csvOf } from './csv.js';
import { latexOf } from './latex.js';

const board = published(
  boardContent(
    {
      fast: { accuracy: 0.7, throughput: 900 },
      good: { accuracy: 0.8, throughput: 10 },
      absent: { accuracy: { one: 0.9, two: null } },
    },
    { datasets: [boardDataset('one'), boardDataset('two')] },
  ),
);
const official = leaderboardView(board, { amrs: 'official' });
const weighed = leaderboardView(board, { weights: { accuracy: 1, throughput: 0, memory: 0 }, amrs: 'official' });

const csv = (view: LeaderboardView): Record<string, string>[] => parse(csvOf(boardTable(view)), { columns: true });

describe('boardTable', () => {
  it('has the rows of the board in its order, then the references, then who is incomplete', () => {
    const rows = csv(official);
    expect(rows.map(({ row, model }) => [row, model])).toEqual([
      ...official.rows.map(({ model }) => ['ranked', model.name]),
      ['reference', 'majority'],
      ['reference', 'random'],
      ['incomplete', 'Model absent'],
    ]);
    expect(rows.at(-1)).toMatchObject({ rank: '', missing: 'two: too slow for the time limit' });
  });

  it('has the same figures as the board, to the last digit', () => {
    for (const [place, row] of csv(official).slice(0, official.rows.length).entries()) {
      const { rank, rankHigh, dynascore, metrics, datasets } = official.rows[place]!;
      expect(row).toMatchObject({
        rank: String(rank),
        rank_high: String(rankHigh),
        dynascore: String(dynascore),
        accuracy: String(metrics['accuracy']!.value),
        accuracy_low: String(metrics['accuracy']!.low),
        throughput: String(metrics['throughput']!.value),
        'one:accuracy': String(datasets['one']!['accuracy']!.value),
      });
    }
  });

  it('says that the weights are not official, with the official rank beside the rank', () => {
    expect(csv(official)[0]).toMatchObject({ weights: 'official: accuracy 4, throughput 1, memory 1' });
    expect(csv(official)[0]).not.toHaveProperty('official_rank');
    const [first] = csv(weighed);
    expect(first).toMatchObject({ model: 'Model good', rank: '1', weights: 'not official: accuracy 1' });
    expect(first!['official_rank']).toBe(String(weighed.rows[0]!.officialRank));
    expect(latexOf(boardTable(weighed))).toMatch(/Not the official board: .* Weights: accuracy 1\./);
  });

  it('names task, benchmark version, revision and date in the caption', () => {
    const latex = latexOf(boardTable(official));
    expect(latex).toContain('\\caption{sentiment, benchmark version 2, revision 7 of 2026-01-02. Weights: accuracy 4,');
    expect(latex).toContain('Incomplete: Model absent (owner of absent). two: too slow for the time limit');
    expect(latex).toMatch(/Model good & owner of good & [\d.]+ & 80\.0 \$\\pm\$ 0\.7 &/);
  });
});
