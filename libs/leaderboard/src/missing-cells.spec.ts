import type { LeaderboardView } from '@assay/contracts/boards';
import type { Estimate } from '@assay/contracts/metrics';
import { describe, expect, it } from '@jest/globals';
import { boardContent, boardDataset, published } from '../../../test/factories/models/board-content.js';
import type { BoardContent } from './boards/board-content.js';
import { boardTable, csvOf } from './formats/index.js';
import { leaderboardView } from './boards/leaderboard-view.js';

const METRICS = ['accuracy', 'ece', 'throughput', 'memory'];
/** A figure that is there and is none. */
const NONE = { value: Number.NaN, low: null, high: null } as Estimate;

const view = (content: BoardContent, weights: Readonly<Record<string, number>>): LeaderboardView =>
  leaderboardView(published(content), { amrs: 'live', weights });
const alone = (metric: string) => Object.fromEntries(METRICS.map((name) => [name, name === metric ? 1 : 0]));
const ranked = ({ rows }: LeaderboardView) => rows.map(({ model }) => model.id);
const unranked = ({ incomplete }: LeaderboardView) => incomplete.map(({ model }) => model.id);

/** Three models with all figures; of the others one lacks the cell, one has NaN, one was uploaded as predictions, one lacks a dataset. */
function content(metric: string): BoardContent {
  const whole = (accuracy: number, throughput: number, memory: number, ece: number) => ({
    accuracy,
    throughput,
    memory,
    more: { ece },
  });
  const board = boardContent(
    {
      first: whole(0.9, 300, 1, 0.1),
      second: whole(0.8, 200, 2, 0.2),
      third: whole(0.7, 100, 3, 0.3),
      absent: whole(0.95, 400, 0.5, 0.05),
      nan: whole(0.96, 500, 0.4, 0.04),
      predictions: { accuracy: 0.99, kind: 'predictions' },
      half: { accuracy: { one: 0.99, two: null }, throughput: 900, memory: 0.1, more: { ece: 0.01 } },
    },
    { metrics: METRICS, weights: { accuracy: 1 }, datasets: [boardDataset('one'), boardDataset('two')] },
  );
  const models = board.models.map((model) => {
    if (model.id !== 'absent' && model.id !== 'nan') return model;
    const others = Object.entries(model.cells['two']!).filter(([name]) => name !== metric);
    const cell = Object.fromEntries(model.id === 'nan' ? [...others, [metric, NONE]] : others);
    return { ...model, cells: { ...model.cells, two: cell } };
  });
  return { ...board, models };
}

describe('a figure that is missing', () => {
  it.each(['ece', 'memory', 'throughput', 'accuracy'])('gives no rank by %s alone, and is never 0', (metric) => {
    const board = view(content(metric), alone(metric));

    const whole = ['first', 'second', 'third'];
    // what was uploaded as predictions has an accuracy, and nothing else
    expect(ranked(board)).toEqual(metric === 'accuracy' ? ['predictions', ...whole] : whole);
    const lacking = ['absent', 'half', 'nan', 'predictions'];
    expect(unranked(board).sort()).toEqual(metric === 'accuracy' ? lacking.slice(0, 3) : lacking);
    for (const { metrics } of board.rows) expect(metrics[metric]!.value).toBeGreaterThan(0);
    const told = board.incomplete.flatMap(({ missing }) => missing.map(({ dataset, why }) => `${dataset} ${why}`));
    expect(told.length).toBeGreaterThanOrEqual(board.incomplete.length);
  });

  it.each(['ece', 'throughput'])('comes last in a table by %s, without a figure', (metric) => {
    const text = csvOf(boardTable(view(content(metric), alone(metric))));

    const places = ['first', 'second', 'third', 'absent', 'nan', 'half'].map((id) => text.indexOf(`Model ${id}`));
    expect(places.slice(3).every((place) => place > Math.max(...places.slice(0, 3)))).toBe(true);
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(text).not.toContain('NaN');
  });
});
