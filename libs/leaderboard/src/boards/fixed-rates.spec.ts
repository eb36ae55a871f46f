import { describe, expect, it } from '@jest/globals';
import { boardTable } from '../formats/board-table.js';
import type { BoardContent } from './board-content.js';
import { leaderboardView } from './leaderboard-view.js';
import { amrsToKeep, officialBoard } from './weighed-board.js';
import { boardContent, boardDataset, published } from '../../../../test/factories/models/board-content.js';

const MODELS = {
  a: { accuracy: 0.6, throughput: 246 },
  b: { accuracy: 0.66, throughput: 246 },
  c: { accuracy: 0.7, throughput: 246 },
  constant: { accuracy: 0.445, throughput: 8000 },
};

/** A board of schema 2 with the models of the worked example. */
const content = (given: Partial<BoardContent> = {}): BoardContent => ({
  ...boardContent(MODELS, {
    weights: { accuracy: 4, throughput: 1 },
    // without gold counts there is no baseline
    datasets: [boardDataset('one', { goldCounts: null })],
  }),
  schema: 2,
  exchange: {
    kind: 'fixed',
    rates: { throughput: 1, memory: 2 },
    references: { throughput: 15, memory: 1 },
  },
  ...given,
});
const viewOf = (given: Partial<BoardContent> = {}, query: object = {}) =>
  leaderboardView(published(content(given)), { amrs: 'official', ...query });

describe('a board of schema 2', () => {
  it('scores the worked example, with the points of each metric', () => {
    const { rows } = viewOf();
    expect(rows.map(({ model, rank, dynascore }) => [model.id, rank, dynascore.toFixed(1)])).toEqual([
      ['c', 1, '71.0'],
      ['b', 2, '67.0'],
      ['a', 3, '61.0'],
      ['constant', 4, '46.8'],
    ]);
    for (const { points, dynascore } of rows) {
      expect(Object.keys(points!)).toEqual(['accuracy', 'throughput']);
      expect(points!['accuracy']! + points!['throughput']!).toBe(dynascore);
    }
  });

  it('names the rates of costs, has no AMRS and is neither provisional nor degenerate', () => {
    const view = viewOf();
    expect(view.schema).toBe(2);
    expect(view.metrics.map(({ name, amrs, rate }) => [name, amrs, rate])).toEqual([
      ['accuracy', null, null],
      ['throughput', null, 1],
      ['memory', null, 2],
    ]);
    expect(view).not.toHaveProperty('provisional');
    expect(view).not.toHaveProperty('degenerate');
    expect(view.official).toBe(true);
    expect(amrsToKeep(content())).toBeNull();
  });

  it('explains what a change of each metric adds', () => {
    expect(
      viewOf({}, { explain: true }).explanation!.map(({ metric, rule, sentence }) => [metric, rule, sentence]),
    ).toEqual([
      [
        'accuracy',
        'fixed',
        'One percentage point of accuracy adds 1 point (its weight ÷ the weights of the metrics that count in points).',
      ],
      [
        'throughput',
        'fixed',
        'Doubling throughput adds 0.25 points: its rate is 1 point per doubling, multiplied by 0.25 (its weight ÷ the weights of the metrics that count in points).',
      ],
    ]);
    expect(boardTable(viewOf()).notes).toContain('Exchange rates, in points per doubling: throughput 1.');
  });

  it('keeps the score of a model when another one is submitted', () => {
    const more = boardContent({ ...MODELS, d: { accuracy: 0.7001, throughput: 246 } }).models;
    const scores = (given: Partial<BoardContent>) =>
      Object.fromEntries(viewOf(given).rows.map(({ model, dynascore }) => [model.id, dynascore]));
    expect(scores({ models: more })).toMatchObject(scores({}));
  });

  it('has the published Dynascore with amrs=live, and says so', () => {
    const live = viewOf({}, { amrs: 'live', explain: true });
    expect(live.official).toBe(false);
    expect(live.weighing).toContain('the score is the published Dynascore');
    expect(live.metrics.map(({ rate }) => rate)).toEqual([null, null, null]);
    expect(live.metrics[1]!.amrs).toBeGreaterThan(0);
    expect(live.explanation![1]!.rule).toBe('mean');
    const { schema: _schema, exchange: _exchange, ...before } = content();
    const { rows } = leaderboardView(published(before), { amrs: 'live' });
    expect(live.rows.map(({ dynascore }) => dynascore)).toEqual(rows.map(({ dynascore }) => dynascore));
  });

  it('ranks by the published Dynascore where the task wants it, at the rates of the models present', () => {
    const view = viewOf({ exchange: { kind: 'amrs' } }, { explain: true });
    const live = viewOf({ exchange: { kind: 'amrs' } }, { amrs: 'live' });
    expect(view.official && live.official).toBe(true);
    expect(view.rows.map(({ dynascore }) => dynascore)).toEqual(live.rows.map(({ dynascore }) => dynascore));
    expect(view.metrics[1]!.amrs).toBeGreaterThan(0);
    expect(view.explanation![1]!.rule).toBe('mean');
    expect(view).not.toHaveProperty('provisional');
  });

  it('includes the costs of a board in rank intervals as constants', () => {
    const { rows } = viewOf();
    for (const { rank, rankLow, rankHigh } of rows) {
      expect(rankLow!).toBeLessThanOrEqual(rank!);
      expect(rankHigh!).toBeGreaterThanOrEqual(rank!);
    }
    expect(officialBoard(content()).calibration).toBeNull();
  });
});
