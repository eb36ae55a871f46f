import type { LeaderboardView } from '@assay/contracts/boards';
import { FIGURE_MARKS } from '@assay/scoring/marks';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { boardContent, boardDataset, published } from '../../../../test/factories/models/board-content.js';
import { leaderboardView } from '../boards/leaderboard-view.js';
import type { BoardModel } from '../boards/board-content.js';
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
    expect(latex).toMatch(/Model good & [\d.]+ & 80\.0 \$\\pm\$ 0\.7 &/);
  });
});

describe('a board with own, estimated, contaminated, contended and rounded figures', () => {
  const datasets = ['r1', 'r2', 'r3'].map((name, place) => boardDataset(name, { role: 'round', round: place + 1 }));
  const content = boardContent(
    {
      'from-r3': {
        accuracy: { r1: 0.55, r2: 0.52, r3: 0.1 },
        throughput: 40,
        more: { macro_f1: 0.5 },
        known: { own: ['r3'], exposure: { r1: 'clean', r2: 'exposed', r3: 'clean' } },
      },
      plain: {
        accuracy: { r1: 0.5, r2: 0.45, r3: 0.4 },
        more: { macro_f1: 0.4 },
        known: { own: [], exposure: { r1: 'clean', r2: 'clean', r3: 'clean' } },
      },
    },
    { datasets, metrics: ['accuracy', 'macro_f1', 'throughput', 'memory'], weights: { accuracy: 4, throughput: 1 } },
  );
  const contended = { value: 40, low: null, high: null, contended: true as const, short: true as const };
  const marked = (model: BoardModel): BoardModel['cells'] => {
    const { r1, r2, ...others } = model.cells;
    const rounded = { ...r2!['accuracy']!, rounded: true as const };
    return { ...others, r1: { ...r1, throughput: contended }, r2: { ...r2, accuracy: rounded } };
  };
  const disturbed = published({
    ...content,
    models: content.models.map((model) => (model.id === 'from-r3' ? { ...model, cells: marked(model) } : model)),
  });
  const view = leaderboardView(disturbed, { amrs: 'official' });
  const rowOf = (board: LeaderboardView) => csv(board).find(({ model }) => model === 'Model from-r3')!;
  const latex = latexOf(boardTable(view));

  it('names the marks of each figure in CSV', () => {
    expect(rowOf(view)).toMatchObject({
      accuracy_marks: 'estimated contaminated rounded',
      throughput_marks: 'contended short',
      memory_marks: '',
      'r1:accuracy_marks': '',
      'r2:accuracy_marks': 'contaminated rounded',
      'r3:accuracy_marks': 'own',
    });
    const counted = leaderboardView(disturbed, { amrs: 'official', ownRounds: 'count' });
    expect(rowOf(counted)).toMatchObject({ accuracy_marks: 'own contaminated rounded' });
    const others = csv(view).filter(({ model }) => model !== 'Model from-r3');
    expect(others.flatMap((row) => Object.entries(row).filter(([name]) => name.endsWith('_marks')))).not.toContainEqual(
      [expect.anything(), expect.stringMatching(/./)],
    );
  });

  it('has the fitted value of an own round under the second rules, with both marks', () => {
    const exchange = { kind: 'fixed', rates: {}, references: {} } as const;
    const fitted = published({ ...disturbed.content, schema: 2, rules: 2, exchange });
    const board = leaderboardView(fitted, { amrs: 'official' });
    // the other model has 0.075 less on r3 than on r1 and r2
    expect(rowOf(board)).toMatchObject({ 'r3:accuracy_marks': 'own estimated rounded' });
    expect(Number(rowOf(board)['r3:accuracy'])).toBeGreaterThan(0.4);
    expect(latexOf(boardTable(board))).toContain('$^{\\dagger}$$\\approx$');
  });

  it('says why a metric has no interval, only where one has none', () => {
    const few = (model: BoardModel): BoardModel['cells'] =>
      Object.fromEntries(
        Object.entries(model.cells).map(([dataset, cell]) => {
          const macro_f1 = { value: 0.5, low: null, high: null, standardError: null, why: 'too few examples' as const };
          return [dataset, { ...cell, macro_f1 }];
        }),
      );
    const models = content.models.map((model) => (model.id === 'plain' ? { ...model, cells: few(model) } : model));
    const board = leaderboardView(published({ ...content, models }), { amrs: 'official' });
    const rows = csv(board);

    expect(rows.find(({ model }) => model === 'Model plain')).toMatchObject({
      no_interval: 'macro_f1: too few examples',
    });
    expect(rows.find(({ model }) => model === 'Model from-r3')).toMatchObject({ no_interval: '' });
    expect(latexOf(boardTable(board))).toContain('Without an interval: macro F1 (too few examples).');
    expect(rowOf(view)).not.toHaveProperty('no_interval');
  });

  it('has the marks before the figures in LaTeX, and a note on each', () => {
    const line = latex.split('\n').find((each) => each.includes('from-r3'))!;
    const [, , , accuracy, throughput, ...perDataset] = line.replace(' \\\\', '').split(' & ');
    expect(accuracy).toMatch(/^\$\\approx\$\$\^\{\\circ\}\$\$\\sim\$\d+\.\d \$\\pm\$ \d/);
    expect(throughput).toBe('$^{\\ddagger}$$^{\\S}$40.0');
    expect(perDataset).toEqual(['55.0', '$^{\\circ}$$\\sim$52.0', '$^{\\dagger}$10.0']);
    for (const { name, sentence } of Object.values(FIGURE_MARKS)) expect(latex).toContain(`${name}: ${sentence}`);
    expect(latexOf(boardTable(official))).not.toContain('own round');
  });

  it('has in LaTeX what a paper needs: rank, model, score, performance, what weighs, and a column per dataset', () => {
    expect(latex).toContain(
      'Rank & Model & Score & accuracy (\\%) & throughput (examples/s) & r1 (\\%) & r2 (\\%) & r3 (\\%) \\\\',
    );
    expect(csv(view)[0]).toMatchObject({ owner: 'owner of from-r3', macro_f1: expect.any(String), memory: '1' });
  });

  it('marks the cost in the JSON too, over all datasets and on the one', () => {
    const { metrics, datasets: cells } = view.rows.find(({ model }) => model.id === 'from-r3')!;
    expect(metrics['throughput']!.contended).toBe(true);
    expect(metrics['memory']!.contended).toBeUndefined();
    expect(cells['r1']!['throughput']!.contended).toBe(true);
    const elsewhere = leaderboardView(disturbed, { amrs: 'official', datasets: { r1: 0 } });
    expect(elsewhere.rows.flatMap((row) => Object.values(row.metrics)).some((each) => each.contended)).toBe(false);
  });
});

describe('a board with a model that evaluators of users ran', () => {
  const evaluators = [
    { name: 'gpu-1', owner: 'ada' },
    { name: 'lab', owner: 'ben' },
  ];
  const own = published(boardContent({ a: { accuracy: 0.8, known: { evaluators } }, b: { accuracy: 0.7 } }));
  const view = leaderboardView(own, { amrs: 'official' });

  it('names them in a column of the CSV, and in a note of the LaTeX table', () => {
    expect(view.rows.map((row) => row.evaluators)).toEqual([evaluators, undefined]);
    expect(csv(view).map((row) => row['evaluators'])).toEqual(['gpu-1 (ada), lab (ben)', '', '', '']);
    expect(latexOf(boardTable(view))).toContain('Run on evaluators of users: Model a on gpu-1 (ada), lab (ben).');
    expect(latexOf(boardTable(official))).not.toContain('evaluators');
  });
});

describe('a board with tied rows', () => {
  const close = published(
    boardContent(
      { a: { accuracy: 0.8 }, b: { accuracy: 0.801 }, c: { accuracy: 0.5 } },
      { metrics: ['accuracy'], weights: { accuracy: 1 } },
    ),
  );
  const view = leaderboardView(close, { amrs: 'official' });

  it('names the tied ranks in a note, and in CSV the model that heads them', () => {
    expect(view.rows.map(({ tieHead }) => tieHead)).toEqual(['b', 'b', undefined]);
    expect(latexOf(boardTable(view))).toContain(
      'Tied, as the score difference to the first of them could be chance (95\\%): ranks 1 to 2.',
    );
    expect(
      csv(view)
        .slice(0, 3)
        .map(({ tie, tie_head }) => [tie, tie_head]),
    ).toEqual([
      ['tied', 'b'],
      ['tied', 'b'],
      ['', ''],
    ]);
  });
});
