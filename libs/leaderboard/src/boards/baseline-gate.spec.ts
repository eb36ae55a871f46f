import { decodeMatrix, encodeMatrix, RankableMatrix } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import { boardTable } from '../formats/board-table.js';
import { chooseLoop } from '../promotions/promotion.policy.js';
import type { BoardContent } from './board-content.js';
import { leaderboardView } from './leaderboard-view.js';
import { scoreMatrixOf } from './score-matrix.js';
import { boardContent, boardDataset, published } from '../../../../test/factories/models/board-content.js';

// the majority label is right in 0.6 of the examples, random labels in 0.52
const MODELS = {
  good: { accuracy: 0.8 },
  fair: { accuracy: 0.7 },
  // its interval is 0.5992 to 0.6188
  about: { accuracy: 0.609, throughput: 1e6 },
  constant: { accuracy: 0.6, throughput: 4e4, memory: 0.02 },
};

const CLEAN = { one: 'clean', two: 'clean' } as const;

const content = (
  models: Parameters<typeof boardContent>[0] = MODELS,
  { datasets, ...given }: Partial<BoardContent> = {},
): BoardContent => ({
  ...boardContent(models, datasets && { datasets }),
  schema: 2,
  rules: 2,
  exchange: { kind: 'fixed', rates: { throughput: 1, memory: 1 }, references: { throughput: 300, memory: 1 } },
  ...given,
});
const viewOf = (shown = content(), query: object = {}) =>
  leaderboardView(published(shown), { amrs: 'official', ...query });
const ranksOf = (shown = content(), query: object = {}) =>
  viewOf(shown, query).rows.map(({ model, rank, belowBaseline }) => [model.id, rank, belowBaseline]);

describe('models below the baseline', () => {
  it('follow all ranked rows by score, without a rank and its interval', () => {
    expect(ranksOf()).toEqual([
      ['good', 1, false],
      ['fair', 2, false],
      ['about', null, true],
      ['constant', null, true],
    ]);
    for (const { rankLow, rankHigh, tie, officialRank, dynascore } of viewOf().rows.slice(2)) {
      expect([rankLow, rankHigh, tie, officialRank]).toEqual([null, null, false, null]);
      expect(dynascore).toBeGreaterThan(0);
    }
    expect(
      viewOf()
        .rows.slice(0, 2)
        .every(({ rankHigh }) => rankHigh! <= 2),
    ).toBe(true);
    expect(viewOf().incomplete).toEqual([]);
  });

  it('are paged after the ranked ones', () => {
    const first = viewOf(content(), { limit: 3 });
    expect(first.rows.map(({ model }) => model.id)).toEqual(['good', 'fair', 'about']);
    expect(ranksOf(content(), { cursor: first.nextCursor })).toEqual([['constant', null, true]]);
  });

  it('are ranked with amrs=live, by exchange: amrs, and on boards from before there was a baseline', () => {
    expect(ranksOf(content(), { amrs: 'live' }).every(([, rank]) => rank !== null)).toBe(true);
    expect(ranksOf(content(MODELS, { exchange: { kind: 'amrs' } })).every(([, rank]) => rank !== null)).toBe(true);
    const { rules: _, ...schema2 } = content();
    for (const earlier of [boardContent(MODELS), schema2]) {
      const { rows } = viewOf(earlier);
      expect(rows.every((row) => row.rank !== null && !('belowBaseline' in row))).toBe(true);
    }
  });

  it('are none where the gold labels are not known', () => {
    const unknown = content(MODELS, { datasets: [boardDataset('one', { goldCounts: null })] });
    expect(ranksOf(unknown).every(([, rank]) => rank !== null)).toBe(true);
  });

  it('are not better than random labels, where these are better than the majority', () => {
    // the majority label has macro F1 0.375, random labels 0.5
    const models = {
      above: { accuracy: 0.7, more: { macro_f1: 0.6 } },
      below: { accuracy: 0.7, more: { macro_f1: 0.45 } },
    };
    const metrics = ['macro_f1', 'accuracy', 'throughput', 'memory'];
    const shown = content(models, { performance: 'macro_f1', metrics, weights: { macro_f1: 1 } });
    expect(ranksOf(shown)).toEqual([
      ['above', 1, false],
      ['below', null, true],
    ]);
  });

  it('are judged by the cells that were not public, and by all if there are none', () => {
    const datasets = [boardDataset('one'), boardDataset('two')];
    const accuracy = { one: 0.95, two: 0.5 };
    const exposure = { one: 'exposed', two: 'clean' } as const;
    const models = {
      learned: { accuracy: 0.8, known: { exposure } },
      copied: { accuracy, known: { exposure } },
      public: { accuracy, known: { exposure: { one: 'exposed', two: 'exposed' } as const } },
    };
    expect(ranksOf(content(models, { datasets }))).toEqual([
      ['learned', 1, false],
      ['public', 2, false],
      ['copied', null, true],
    ]);
  });

  it('are not judged by data that was collected against them', () => {
    const datasets = [boardDataset('one'), boardDataset('two')];
    const own = { accuracy: { one: 0.8, two: 0.1 }, known: { own: ['two'], exposure: CLEAN } };
    const models = { own, other: { accuracy: 0.8, known: { exposure: CLEAN } } };
    expect(ranksOf(content(models, { datasets })).map(([, rank]) => rank)).not.toContain(null);
    expect(ranksOf(content(models, { datasets }), { ownRounds: 'count' })).toEqual([
      ['other', 1, false],
      ['own', null, true],
    ]);
  });

  it('are those that do not beat the majority set of labels', () => {
    const goldSets = { '["a"]': 120, '["a","b"]': 60, '["c"]': 20 };
    const datasets = [boardDataset('one', { goldCounts: null, goldSets })];
    expect(ranksOf(content(MODELS, { datasets })).map(([, rank]) => rank)).toEqual([1, 2, null, null]);
  });

  it('are those that do not beat the model that the owner named', () => {
    const datasets = [boardDataset('one', { goldCounts: null })];
    const named = (baseline?: string) => ranksOf(content(MODELS, { datasets, ...(baseline && { baseline }) }));
    expect(named('fair').map(([id, rank]) => [id, rank])).toEqual([
      ['good', 1],
      ['fair', null],
      ['about', null],
      ['constant', null],
    ]);
    // no model, or one that was withdrawn
    for (const ranks of [named(), named('gone')]) expect(ranks.map(([, rank]) => rank)).not.toContain(null);
  });

  it('are never first when the weights move', () => {
    const { stability } = viewOf();
    expect(stability!.first).toBe('good');
    expect(stability!.firsts.every(({ id }) => id === 'good' || id === 'fair')).toBe(true);
  });

  it('are named in tables', () => {
    const table = boardTable(viewOf());
    expect(table.notes.some((note) => note.startsWith('Models without a rank are not better than the baseline'))).toBe(
      true,
    );
    expect(table.groups[0]!.map(([rank]) => rank === null)).toEqual([false, false, true, true]);
  });

  it('are the same in the browser, from the matrix file', () => {
    const { matrix } = scoreMatrixOf(content());
    const facts = { names: [], owners: [], kinds: [], sizes: [], acceptedAt: [], clean: new Uint8Array(4) };
    const file = decodeMatrix(
      encodeMatrix({
        task: 't',
        benchmarkVersion: 1,
        revision: 1,
        publishedAt: '2026-11-01T00:00:00Z',
        matrix,
        ...facts,
      }),
    );
    const { ranking, below } = new RankableMatrix(file.matrix, { datasets: {} }).rank({
      weights: {},
      amrs: 'official',
    });
    const idsOf = (order: Int32Array) => Array.from(order, (row) => file.matrix.ids[row]);
    expect([idsOf(ranking.order), idsOf(below!.order)]).toEqual([
      ['good', 'fair'],
      ['about', 'constant'],
    ]);
  });
});

describe('the loop', () => {
  const chosen = (shown: BoardContent) =>
    chooseLoop(published({ ...shown, loop: { ...shown.loop, size: 4 } }), new Set());

  it('takes no model below the baseline', () => {
    const candidates = chosen(content());
    expect(candidates.map(({ model }) => model.id)).toEqual(['good', 'fair']);
    expect(candidates.every(({ evidence }) => evidence.warning === undefined)).toBe(true);
  });

  it('takes the best with a warning if no model is above it', () => {
    const { about, constant } = MODELS;
    const shown = content({ about, constant });
    const [best, ...others] = chosen({ ...shown, loop: { ...shown.loop, minimum: { accuracy: 'baseline' } } });
    expect([best!.model.id, best!.evidence.rank, others]).toEqual(['about', null, []]);
    expect(best!.evidence.warning).toBe('No model is better than the baseline; the best one was promoted.');
  });

  it('takes only models above the baseline with exchange: amrs, and the best with a warning if there are none', () => {
    const models = (given: Partial<typeof MODELS>) =>
      chosen({
        ...content(given, { exchange: { kind: 'amrs' }, weights: { accuracy: 1 } }),
        loop: { ...content().loop, minimum: { accuracy: 'baseline' } },
      });
    expect(models(MODELS).map(({ model }) => model.id)).toEqual(['good', 'fair']);
    const { about, constant } = MODELS;
    const [best, ...others] = models({ about, constant });
    expect([best!.model.id, best!.evidence.rank, others]).toEqual(['about', 1, []]);
    expect(best!.evidence.warning).toBeDefined();
  });

  it('keeps to the other bounds if no model is above the baseline', () => {
    const { about, constant } = MODELS;
    const shown = content({ about, constant });
    const candidates = chosen({ ...shown, loop: { ...shown.loop, maximum: { throughput: 1e5 } } });
    expect(candidates.map(({ model }) => model.id)).toEqual(['constant']);
  });

  it('takes the best below the baseline if the models above it cannot be in the loop', () => {
    const models = { ...MODELS, good: { ...MODELS.good, kind: 'predictions' as const } };
    const shown = content(models);
    const [best, ...others] = chooseLoop(published(shown), new Set(), new Map([['fair', 'Its owner excluded it.']]));
    expect([best!.model.id, others]).toEqual(['about', []]);
    expect(best!.evidence.warning).toMatch(/^No model that can be in the loop is better than the baseline;/);
  });
});
