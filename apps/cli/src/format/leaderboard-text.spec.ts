import type { Leaderboard } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { leaderboardText } from './leaderboard-text.js';

const estimate = (value: number) => ({ value, low: value - 0.011, high: value + 0.011 });

const row = (rank: number, name: string, couldBeFirst: boolean, accuracy: number): Leaderboard['rows'][number] => ({
  rank,
  rankLow: couldBeFirst ? 1 : rank,
  rankHigh: couldBeFirst ? 2 : rank,
  couldBeFirst,
  tie: couldBeFirst && rank > 1,
  officialRank: rank,
  model: { id: name, name, owner: 'kim' },
  kind: 'container',
  dynascore: accuracy * 100,
  metrics: { accuracy: estimate(accuracy) },
  datasets: {},
});

const board: Leaderboard = {
  schema: 1,
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

  it('marks the rows that could be first with a bar, and says what it means once', () => {
    expect(lines[4]).toMatch(/^▌ 1 +1–2 +albert +kim +63\.2 +63\.2 ± 1\.1/);
    expect(lines[5]).toMatch(/^▌ 2 +1–2 +xlnet/);
    expect(lines[6]).toMatch(/^ {2}3 +bart/);
    expect(text.match(/could be first/g)).toHaveLength(1);
    expect(text).toContain('▌ could be first (95%): 2 models. They are tied with the first.');
  });

  it('shows models below the baseline after the ranked ones, without a rank, and says why', () => {
    const guess = { ...row(4, 'guess', false, 0.33), belowBaseline: true };
    const below = { ...guess, rank: null, rankLow: null, rankHigh: null, officialRank: null };
    const text = leaderboardText({ ...board, schema: 2, rows: [...board.rows, below] });
    expect(text).toMatch(/^ {2}· +guess +kim +33\.0 /m);
    expect(text).toContain('Models without a rank are not better than the baseline (95%)');
    expect(leaderboardText(board)).not.toContain('baseline');
  });

  it('marks no row of a board that does not say it', () => {
    const rows = board.rows.map(({ couldBeFirst: _, ...each }) => ({ ...each, first: 0.5, tieHead: 'albert' }));
    expect(leaderboardText({ ...board, rows })).not.toContain('▌');
  });

  it('has the columns of the page: performance and what weighs; all others where they are asked for', () => {
    const more = ['macro_f1', 'throughput'].map((name) => ({
      name,
      direction: 'higher',
      unit: 'ratio',
      weight: 0,
      amrs: null,
    }));
    const metrics = { accuracy: estimate(0.6), memory: { value: 1.5, low: null, high: null }, macro_f1: estimate(0.5) };
    const rows = [{ ...row(1, 'albert', false, 0.6), metrics, attempts: 3 }];
    const wide = { ...board, metrics: [...board.metrics, ...more] as Leaderboard['metrics'], rows };
    const titles = (options = {}) => leaderboardText(wide, Infinity, options).split('\n')[3];
    expect(titles()).toMatch(/^ *# +model +owner +score ↑ +accuracy % ↑ +memory GiB ↓$/);
    expect(leaderboardText(wide)).not.toMatch(/attempts/);
    expect(titles({ columns: 'all' })).toMatch(
      /^ *# +model +owner +attempts +score ↑ +accuracy % ↑ +memory GiB ↓ +macro F1 % ↑$/,
    );
  });

  it('shows the references, and why a model is incomplete', () => {
    expect(lines[7]).toMatch(/─ +majority +\(reference\) +33\.4/);
    expect(text).toContain('Incomplete (not ranked):\n  roberta (ada)\n    anli-r2, anli-r3: out of memory');
  });

  it('leaves out what does not count where there is no room, and never what does', () => {
    const throughput = { name: 'throughput', direction: 'higher', unit: 'examples/s', weight: 0, amrs: null } as const;
    const values = { accuracy: estimate(0.6), throughput: { value: 41, low: null, high: null } };
    const wide = { ...board, metrics: [...board.metrics, throughput], rows: [{ ...board.rows[0]!, metrics: values }] };
    expect(leaderboardText(wide, Infinity, { columns: 'all' })).toContain('throughput ex/s');
    const narrow = leaderboardText(wide, 20, { columns: 'all' });
    expect(narrow).not.toContain('ex/s');
    expect(narrow).toContain('accuracy');
    expect(narrow).toMatch(/Columns that do not\s+fit the\s+width/);
  });

  it('gives the first step where nothing is ranked', () => {
    const empty = leaderboardText({ ...board, rows: [], references: [], incomplete: [] });
    expect(empty).toContain('assay submit nli');
    const clean = leaderboardText({ ...board, official: false, rows: [], references: [], incomplete: [] });
    expect(clean).toContain('No model is ranked with these settings.');
    expect(clean).not.toContain('assay submit');
  });

  it('says where the weights are not the official ones, with the official rank in a column', () => {
    const weighing = "Not the official board: weights differ from the task's: memory 1 → 0.";
    const moved = {
      ...board,
      official: false,
      weighing,
      rows: [{ ...row(1, 'xlnet', false, 0.588), officialRank: 2 }],
    };
    const shown = leaderboardText(moved);
    expect(shown).toContain(weighing);
    expect(shown).toMatch(/# +official +model/);
    expect(shown).toMatch(/^ {2}1 +2 +xlnet/m);
    expect(shown).toContain("official: the rank by the task's own weights");
    expect(text).not.toContain('official');
  });

  it('marks what is estimated, collected against a model, exposed, no better than the majority, or on the front', () => {
    const datasets = ['r1', 'r2', 'report'].map((name, place) => ({
      name,
      version: 1,
      role: 'static' as const,
      examples: 100,
      weight: place === 2 ? 0 : 1,
    }));
    const exposure = { r1: 'exposed', r2: 'clean', report: 'exposed' } as const;
    const cells = { r1: { accuracy: estimate(0.5) }, r2: { accuracy: estimate(0.001) } };
    const marked = {
      ...board,
      datasets,
      pareto: ['accuracy', 'memory'],
      rows: [
        { ...row(1, 'albert', false, 0.6), exposure, front: true, datasets: cells },
        {
          ...row(2, 'bert', false, 0.5),
          exposure: { r1: 'clean', r2: 'clean' } as const,
          own: ['r2'],
          front: false,
          aboveMajority: false,
          metrics: { accuracy: { ...estimate(0.5), estimated: true as const } },
          datasets: cells,
        },
      ],
    };
    const shown = leaderboardText(marked, 100, { byDataset: true });
    expect(shown).toMatch(/1 +albert ◆° +kim +60\.0 +60\.0/);
    expect(shown).toMatch(/2 +bert †▿ +kim +50\.0 +≈50\.0/);
    expect(shown).toContain('◆ no other model beats it in all of accuracy, memory.');
    expect(shown).toContain('≈ estimated: Fitted from the other results');
    expect(shown).toContain('† own round, bert (r2): The examples were collected against this very model');
    expect(shown).toContain('° contaminated, albert (r1): Test data was public before submission.');
    expect(shown).toContain('▿ not shown to be better than always giving the most frequent label.');
    expect(shown).toMatch(/bert +50\.0 ± 1\.1 +†0\.1 ± 1\.1$/m);
    expect(text).not.toMatch(/[◆†°▿≈‡]/);
  });

  it('marks a cost that was measured under contention', () => {
    const memory = { value: 1.5, low: null, high: null, contended: true as const };
    const rows = [{ ...row(1, 'albert', false, 0.6), metrics: { accuracy: estimate(0.6), memory } }];
    const shown = leaderboardText({ ...board, rows });
    expect(shown).toMatch(/albert +kim +60\.0 +60\.0 ± 1\.1 +‡1\.50$/m);
    expect(shown).toContain('‡ contended: Something else used the host');
  });

  it('marks rounded scores, and tells the owner that they are exact', () => {
    const rounded = { ...estimate(0.6), rounded: true as const };
    const rows = [{ ...row(1, 'albert', false, 0.6), metrics: { accuracy: rounded } }];
    const shown = leaderboardText({ ...board, rows, disclosure: 'rounded' });
    expect(shown).toContain('∼60.0 ± 1.1');
    expect(shown).toContain('∼ rounded: A score on hidden data');
    expect(leaderboardText({ ...board, disclosure: 'exact' })).toContain('You see exact scores on hidden data');
  });

  it('has attempts, and how far it depends on the weights', () => {
    const told = {
      ...board,
      rows: board.rows.map((each, place) => ({ ...each, attempts: place + 1 })),
      stability: {
        first: 'albert',
        stays: 0.93,
        firsts: [
          { id: 'albert', share: 0.93 },
          { id: 'xlnet', share: 0.07 },
        ],
        draws: 1000,
      },
    };
    const shown = leaderboardText(told, Infinity, { columns: 'all' });
    expect(shown).toMatch(/albert +kim +1 +63\.2 /);
    expect(shown).toMatch(/xlnet +kim +2 +58\.8 /);
    expect(shown).toMatch(/bart +kim +3 +40\.0 /);
    expect(shown).toContain(
      "The first, albert, stays first in 93% of 1,000 draws of weights around the task's; xlnet in 7%.",
    );
  });

  it('tells of a first that is not among those shown without its id', () => {
    const stability = { first: 'id-1', stays: 0.5, firsts: [{ id: 'id-2', share: 0.5 }], draws: 1000 };
    expect(leaderboardText({ ...board, stability })).toContain(
      "The first, which is not shown, stays first in 50% of 1,000 draws of weights around the task's; one that is not shown in 50%.",
    );
  });

  it('tells what is pending from what is incomplete', () => {
    const waiting = { model: { id: 'p', name: 'deberta', owner: 'lea' }, pending: true, missing: [] };
    const shown = leaderboardText({ ...board, incomplete: [...board.incomplete, waiting] });
    expect(shown).toMatch(/Pending \(not ranked yet[^]*deberta \(lea\)[^]*Incomplete \(not ranked\):\n +roberta/);
  });

  it('explains exchange rates with the pairs that made them', () => {
    const pair = { lower: ['bart'], upper: ['xlnet'], performanceGap: 18.8, gap: 0.376, ratio: 0.02 };
    const explained = {
      ...board,
      explanation: [
        {
          metric: 'memory',
          amrs: 0.02,
          rule: 'median' as const,
          pairCount: 1,
          pairs: [pair],
          sentence: 'One point of accuracy corresponds to 0.02 GiB of memory.',
        },
      ],
    };
    const shown = leaderboardText(explained);
    expect(shown).toContain('memory: weight 1, exchange rate 0.0200\n    One point of accuracy corresponds to');
    expect(shown).toContain('bart → xlnet: 18.8 points of accuracy, 0.376 of memory GiB: 0.0200');
  });

  it('explains fixed exchange rates and names those of the costs', () => {
    const sentence = 'Halving memory adds 0.25 points.';
    const figures = { amrs: null, rule: 'fixed' as const, pairCount: 0, pairs: [] };
    const shown = leaderboardText({
      ...board,
      metrics: board.metrics.map((metric) => ({ ...metric, rate: metric.name === 'memory' ? 2 : null })),
      explanation: [{ metric: 'memory', sentence, ...figures }],
    });
    expect(shown).toContain('plus points per halving of a cost');
    expect(shown).toContain(`memory: weight 1\n    ${sentence}`);
    expect(shown).toContain('score: costs count in points per doubling, by weight: memory 2.');
  });

  it('keeps to the width, says what it left out, and shortens names last', () => {
    const long = 'a-model-whose-name-goes-on-and-on-for-ever';
    const rows = [{ ...row(1, long, false, 0.6), attempts: 3 }];
    const at = (width: number) => leaderboardText({ ...board, rows }, width, { columns: 'all' });
    expect(at(120)).toContain(long);
    for (const width of [50, 60, 70, 80, 100, 160]) {
      expect(
        Math.max(
          ...at(width)
            .split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(width);
    }
    expect(at(90)).toMatch(/model +owner +attempts +score ↑ +accuracy\n +% ↑\n/);
    expect(at(90)).toContain('a-model-whose-name-goes-on-and-…');
    expect(at(90)).not.toContain('Left out');
    expect(at(70)).toMatch(/Columns that do not fit the width: attempts\. Show them with\s+--json\./);
    expect(at(50)).toMatch(/attempts,\s+owner/);
  });

  it('marks the models that evaluators of users ran, and names these once', () => {
    const ofAda = [{ name: 'gpu-1', owner: 'ada' }];
    const both = [...ofAda, { name: 'lab', owner: 'ben' }];
    const evaluators = [ofAda, undefined, both];
    const rows = board.rows.map((each, place) => ({
      ...each,
      ...(evaluators[place] && { evaluators: evaluators[place] }),
    }));

    const shown = leaderboardText({ ...board, rows });

    expect(shown).toMatch(/ albert ⌂ /);
    expect(shown).toMatch(/ bart ⌂ /);
    expect(shown).not.toContain('xlnet ⌂');
    expect(shown).toContain(
      '⌂ own evaluator, albert on gpu-1 (ada); bart on gpu-1 (ada), lab (ben): An evaluator of a user',
    );
    expect(text).not.toContain('⌂');
  });

  it('says that only some models are shown', () => {
    expect(leaderboardText(board, 100, { only: 'models of kind onnx' })).toContain(
      'Only models of kind onnx. Ranks are those on the whole board.',
    );
  });
});
