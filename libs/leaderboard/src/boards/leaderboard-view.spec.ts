import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { LeaderboardView } from '@assay/contracts/boards';
import { decodeMatrix, RankableMatrix } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boardContent, boardDataset, published } from '../../../../test/factories/models/board-content.js';
import type { BoardContent } from './board-content.js';
import { contenders } from '../promotions/contenders.js';
import { leaderboardView } from './leaderboard-view.js';
import { matrixBody } from './matrix-body.js';
import { amrsToKeep, type Weighing } from './weighed-board.js';

const FIVE = {
  a: { accuracy: 0.7, throughput: 400, memory: 0.5 },
  b: { accuracy: 0.8, throughput: 200, memory: 1 },
  c: { accuracy: 0.85, throughput: 90, memory: 1.5 },
  d: { accuracy: 0.9, throughput: 10, memory: 3 },
  e: { accuracy: 0.6, throughput: 500, memory: 0.4 },
};
const view = (content: BoardContent, query: object = {}) =>
  leaderboardView(published(content), { amrs: 'official', ...query });
const ids = ({ rows }: LeaderboardView) => rows.map((row) => row.model.id);

describe('a board', () => {
  it("is official by the task's own weights, and says so", () => {
    const board = view(boardContent(FIVE));

    expect(board).toMatchObject({
      task: 'sentiment',
      benchmarkVersion: 2,
      revision: 7,
      publishedAt: '2026-01-02T03:04:05.678Z',
      official: true,
      provisional: true,
    });
    expect(board.metrics.map(({ name, direction, unit, weight }) => [name, direction, unit, weight])).toEqual([
      ['accuracy', 'higher', 'ratio', 4],
      ['throughput', 'higher', 'examples/s', 1],
      ['memory', 'lower', 'GiB', 1],
    ]);
    expect(board.rows.every((row) => row.officialRank === row.rank)).toBe(true);
    expect(view(boardContent(FIVE), { weights: {}, datasets: {} }).official).toBe(true);
  });

  it("keeps the official rank beside that of the request's weights", () => {
    const content = boardContent(FIVE);
    const official = new Map(view(content).rows.map((row) => [row.model.id, row.rank]));
    const board = view(content, { weights: { throughput: 0, memory: 0 } });

    expect(board.official).toBe(false);
    expect(ids(board)).toEqual(['d', 'c', 'b', 'a', 'e']);
    expect(board.rows[0]!.dynascore).toBeCloseTo(90, 10);
    expect(board.metrics.map(({ weight }) => weight)).toEqual([4, 0, 0]);
    for (const row of board.rows) expect(row.officialRank).toBe(official.get(row.model.id));
  });

  it('takes the published mean of the rates with amrs=live', () => {
    const live = view(boardContent(FIVE), { amrs: 'live' });
    const official = view(boardContent(FIVE));

    expect(live.official).toBe(false);
    expect(live.metrics[0]!.amrs).toBe(1);
    expect(live.metrics[1]!.amrs).not.toBe(official.metrics[1]!.amrs);
  });

  it('is the same to the byte, however often it is asked for', () => {
    const content = boardContent(FIVE);
    const stored = JSON.parse(JSON.stringify(content)) as BoardContent;

    expect(JSON.stringify(view(stored, { weights: { memory: 3 } }))).toBe(
      JSON.stringify(view(content, { weights: { memory: 3 } })),
    );
  });

  it('does not change when all weights grow alike', () => {
    const content = boardContent(FIVE);
    const weight = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(weight, weight, weight, fc.integer({ min: 2, max: 9 }), (accuracy, throughput, memory, factor) => {
        const one = view(content, { weights: { accuracy, throughput, memory } });
        const other = view(content, {
          weights: { accuracy: accuracy * factor, throughput: throughput * factor, memory: memory * factor },
        });
        expect(ids(other)).toEqual(ids(one));
        for (const [place, row] of one.rows.entries())
          expect(other.rows[place]!.dynascore).toBeCloseTo(row.dynascore, 8);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    [{ weights: { speed: 1 } }, 'unknown_metric'],
    [{ weights: { accuracy: 0, throughput: 0, memory: 0 } }, 'all_weights_zero'],
    [{ datasets: { nowhere: 1 } }, 'unknown_dataset'],
    [{ datasets: { one: 0 } }, 'all_weights_zero'],
  ])('refuses %j', (query, code) => {
    expect(() => view(boardContent(FIVE), query)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the datasets of a board', () => {
  const datasets = [
    boardDataset('static'),
    boardDataset('r1', { role: 'round', round: 1 }),
    boardDataset('r2', { role: 'round', round: 2 }),
    boardDataset('shown', { use: 'reporting' }),
    boardDataset('small', { examples: 99 }),
  ];
  const accuracy = { static: 0.9, r1: 0.8, r2: 0.6, shown: 0.1, small: 0.2 };
  const content = boardContent({ a: { accuracy } }, { datasets, weights: { accuracy: 1 } });

  it('weigh by role and age; what reports or is small is shown and weighs nothing', () => {
    const board = view(content);
    const weights = Object.fromEntries(board.datasets.map(({ name, weight }) => [name, weight]));

    expect(weights['static']).toBeCloseTo(0.3, 12);
    expect(weights['r2']).toBeCloseTo(0.7 / 1.8, 12);
    expect(weights['r1']).toBeCloseTo((0.7 * 0.8) / 1.8, 12);
    expect([weights['shown'], weights['small']]).toEqual([0, 0]);
    const expected = 0.3 * 0.9 + (0.7 / 1.8) * 0.6 + ((0.7 * 0.8) / 1.8) * 0.8;
    expect(board.rows[0]!.metrics['accuracy']!.value).toBeCloseTo(expected, 12);
    expect(Object.keys(board.rows[0]!.datasets)).toEqual(['static', 'r1', 'r2', 'shown', 'small']);
  });

  it('can be weighed by the request', () => {
    const board = view(content, { datasets: { static: 0, r1: 0 } });

    expect(board.official).toBe(false);
    expect(board.rows[0]!.metrics['accuracy']!.value).toBeCloseTo(0.6, 12);
    expect(() => view(content, { datasets: { shown: 1 } })).toThrow(
      expect.objectContaining({ code: 'unknown_dataset' }),
    );
  });

  it('that are too small to rank are named as the reason', () => {
    const few = boardContent({ a: { accuracy: 0.9 } }, { datasets: [boardDataset('few', { examples: 4 })] });

    expect(view(few).rows).toEqual([]);
    expect(view(few).incomplete[0]!.missing).toEqual([
      { dataset: 'few', why: 'its 4 examples are too few to rank; the task requires 100 (aggregate.minimumExamples)' },
    ]);
  });
});

describe('what a board lacks', () => {
  const datasets = [boardDataset('one'), boardDataset('two')];

  it('is listed with its reason, has no rank, and is never 0', () => {
    const content = boardContent(
      { whole: { accuracy: 0.5 }, half: { accuracy: { one: 0.99, two: null } } },
      { datasets },
    );
    const board = view(content);

    expect(ids(board)).toEqual(['whole']);
    expect(board.incomplete).toEqual([
      {
        model: { id: 'half', name: 'Model half', owner: 'owner of half' },
        pending: false,
        missing: [{ dataset: 'two', why: 'too slow for the time limit' }],
      },
    ]);
    expect(ids(view(content, { datasets: { two: 0 } }))).toEqual(['half', 'whole']);
  });

  it('is a cost for predictions, which rank only where no cost is weighted', () => {
    const content = boardContent({ run: { accuracy: 0.5 }, file: { accuracy: 0.9, kind: 'predictions' } });

    expect(ids(view(content))).toEqual(['run']);
    expect(view(content).incomplete[0]!.missing[0]!.why).toBe(
      'no throughput, memory: predictions were uploaded, so no model ran',
    );
    const free = view(content, { weights: { throughput: 0, memory: 0 } });
    expect(ids(free)).toEqual(['file', 'run']);
    expect(free.rows[0]!.officialRank).toBeNull();
  });
});

describe('a degenerate board', () => {
  it.each([
    ['no_models', {}],
    ['one_model', { a: { accuracy: 0.9 } }],
    ['equal_performance', { a: { accuracy: 0.9, memory: 1 }, b: { accuracy: 0.9, memory: 2 } }],
  ])('is ranked by the performance alone: %s', (why, models) => {
    const board = view(boardContent(models));

    expect(board.degenerate).toBe(why);
    for (const row of board.rows) expect([row.rank, row.dynascore]).toEqual([1, 90]);
  });
});

describe('the exchange rates of a board', () => {
  const many = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `m${n}`,
        { accuracy: 0.5 + n / 50, throughput: 300 - n * n, memory: 1 + n / 9 },
      ]),
    );

  it('are kept from ten ranked models on, and then stand still', () => {
    expect(amrsToKeep(boardContent(many(9)))).toBeNull();
    const amrs = amrsToKeep(boardContent(many(10)))!;
    expect(amrs['accuracy']).toBe(1);

    const kept = boardContent({ ...many(10), copy: { accuracy: 0.6801, throughput: 1, memory: 3.9 } }, { amrs });
    const before = view(boardContent(many(10), { amrs }));
    const after = view(kept);
    expect(after.provisional).toBe(false);
    const score = (board: LeaderboardView) => new Map(board.rows.map((row) => [row.model.id, row.dynascore]));
    for (const [id, dynascore] of score(before)) expect(score(after).get(id)).toBe(dynascore);
  });

  it('are not kept where all are equal: there is nothing to take them from', () => {
    const equal = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`m${n}`, { accuracy: 0.8, memory: n + 1 }]));
    expect(amrsToKeep(boardContent(equal))).toBeNull();
  });
});

describe('ranks', () => {
  const close = { a: { accuracy: 0.801 }, b: { accuracy: 0.8 }, c: { accuracy: 0.5 } };

  it('are tied where they cannot be told apart, with intervals that hold the rank', () => {
    const board = view(boardContent(close, { weights: { accuracy: 1 } }));

    expect(board.rows.map(({ rank, tie, tieHead }) => [rank, tie, tieHead])).toEqual([
      [1, true, 'a'],
      [2, true, 'a'],
      [3, false, undefined],
    ]);
    for (const { rank, rankLow, rankHigh } of board.rows) {
      expect(rankLow).toBeLessThanOrEqual(rank!);
      expect(rankHigh).toBeGreaterThanOrEqual(rank!);
    }
    expect([board.rows[2]!.rankLow, board.rows[2]!.rankHigh]).toEqual([3, 3]);
  });

  it('are shared by equal scores', () => {
    const board = view(boardContent({ a: { accuracy: 0.8 }, b: { accuracy: 0.8 }, c: { accuracy: 0.5 } }));
    expect(board.rows.map(({ rank }) => rank)).toEqual([1, 1, 3]);
  });

  it('are the bare rank where no error is known', () => {
    const board = view(boardContent({ a: { accuracy: 0.9, standardError: null } }));
    expect(board.rows[0]).toMatchObject({ rank: 1, rankLow: 1, rankHigh: 1, tie: false });
  });
});

describe('reference rows', () => {
  it('are had from the gold labels, aggregated as the models are', () => {
    const datasets = [boardDataset('one'), boardDataset('two', { goldCounts: { negative: 180, positive: 20 } })];
    const { references } = view(boardContent({}, { datasets }));

    expect(references.map(({ name }) => name)).toEqual(['majority', 'random']);
    expect(references[0]!.datasets['one']!['accuracy']!.value).toBeCloseTo(0.6, 12);
    expect(references[0]!.metrics['accuracy']!.value).toBeCloseTo(0.75, 12);
    expect(references[1]!.metrics['accuracy']!.value).toBeCloseTo((0.52 + 0.82) / 2, 12);
  });

  it('are not there without labels', () => {
    expect(view(boardContent({}, { datasets: [boardDataset('one', { goldCounts: null })] })).references).toEqual([]);
  });
});

describe('pages of a board', () => {
  const content = boardContent(FIVE);
  const board = view(content);

  it('follow the cursor, and end', () => {
    const first = view(content, { limit: 3 });
    const second = view(content, { limit: 3, cursor: first.nextCursor! });

    expect([...first.rows, ...second.rows]).toEqual(board.rows);
    expect(second.nextCursor).toBeUndefined();
    expect(view(content, { limit: 5 })).toEqual(board);
    expect(() => view(content, { cursor: 'x' })).toThrow(expect.objectContaining({ code: 'unknown_cursor' }));
  });
});

describe('a board that is looked at more closely', () => {
  const content = boardContent(FIVE);

  it('says in words what is not official about it', () => {
    expect(view(content)).not.toHaveProperty('weighing');
    expect(view(content, { weights: { accuracy: 4 } })).toMatchObject({ official: true });
    expect(view(content, { weights: { accuracy: 1, memory: 0 }, amrs: 'live' }).weighing).toBe(
      "Not the official board: weights differ from the task's: accuracy 4 → 1, memory 1 → 0; " +
        'exchange rates are means over the current models, as published (amrs=live).',
    );
  });

  it('shows one owner or one kind, with the ranks of the whole board', () => {
    const ranks = new Map(view(content).rows.map(({ model, rank }) => [model.id, rank]));
    const { rows, official } = view(content, { owner: 'owner of c' });
    expect([official, rows.map(({ model, rank }) => [model.id, rank])]).toEqual([true, [['c', ranks.get('c')]]]);
    expect(view(content, { kind: 'onnx' }).rows).toEqual([]);
  });

  it('ranks the clean models among themselves', () => {
    const exposure = (one: 'clean' | 'exposed') => ({ known: { exposure: { one } } });
    const mixed = boardContent({
      a: { ...FIVE.a, ...exposure('clean') },
      b: { ...FIVE.b, ...exposure('exposed') },
      c: { ...FIVE.c, ...exposure('clean') },
    });
    const board = view(mixed, { exposure: 'clean' });

    expect(board.rows.map(({ model }) => model.id).toSorted()).toEqual(['a', 'c']);
    expect(board.rows.map(({ rank }) => rank)).toEqual([1, 2]);
    expect(board.weighing).toContain('(1 model left out)');
    const scores = new Map(view(mixed).rows.map((row) => [row.model.id, row.dynascore]));
    for (const { model, dynascore } of board.rows) expect(dynascore).toBe(scores.get(model.id));
    expect(view(content, { exposure: 'clean' }).rows).toEqual([]);
  });

  it('marks the front of the metrics that are named', () => {
    const { rows } = view(boardContent({ ...FIVE, worse: { accuracy: 0.59, throughput: 1, memory: 3.9 } }), {
      pareto: ['accuracy', 'memory'],
    });
    const front = rows.filter((row) => row.front).map((row) => row.model.id);
    expect(front.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(() => view(content, { pareto: ['accuracy', 'speed'] })).toThrow(
      expect.objectContaining({ code: 'unknown_metric' }),
    );
    expect(() => view(content, { pareto: ['accuracy'] })).toThrow(expect.objectContaining({ code: 'too_few_metrics' }));
  });

  it('explains its exchange rates by the pairs that made them', () => {
    const [performance, throughput] = view(content, { explain: true }).explanation!;

    expect(performance).toMatchObject({ metric: 'accuracy', rule: 'performance', amrs: 1 });
    // e–a 100/10, a–b 200/10, b–c 110/5, c–d 80/5, sorted 10, 16, 20, 22
    expect(throughput).toMatchObject({ metric: 'throughput', rule: 'median', pairCount: 4 });
    expect(throughput!.amrs).toBeCloseTo(18, 9);
    expect(throughput!.pairs.map(({ lower, upper }) => [...lower, ...upper])).toEqual([
      ['e', 'a'],
      ['c', 'd'],
      ['a', 'b'],
      ['b', 'c'],
    ]);
    expect(throughput!.sentence).toBe(
      'One point of accuracy corresponds to 18 examples/s of throughput, the median over 4 pairs of neighbours in ' +
        'accuracy. For example, "Model c" and "Model d" are 5 points and 80 examples/s of throughput apart.',
    );
    const live = view(content, { explain: true, amrs: 'live' }).explanation![1]!;
    expect(live).toMatchObject({ rule: 'mean', amrs: 17 });
  });

  it('explains kept rates by the revision that they were taken from', () => {
    const kept = {
      ...content,
      amrs: view(content).metrics.reduce((all, { name, amrs }) => ({ ...all, [name]: amrs }), {}),
    };
    const [, unknown] = leaderboardView(published(kept), { amrs: 'official', explain: true }).explanation!;
    const ratesOrigin = { number: 3, content };
    const [, known] = leaderboardView(
      published(kept),
      { amrs: 'official', explain: true },
      { ratesOrigin },
    ).explanation!;

    expect(unknown).toMatchObject({ rule: 'kept', pairs: [] });
    expect(known).toMatchObject({ rule: 'median', revision: 3, pairCount: 4 });
  });

  it('says how far the first place depends on the weights', () => {
    const { stability, rows } = view(content);
    expect(stability).toMatchObject({ first: rows[0]!.model.id, draws: 1000 });
    expect(view(content, { weights: { accuracy: 1 } })).not.toHaveProperty('stability');
  });

  it('says whether a model lies above the majority, and of how many attempts it is', () => {
    const models = { above: { accuracy: 0.62, known: { attempts: 7 } }, about: { accuracy: 0.609 } };
    const { rows } = view(boardContent(models, { weights: { accuracy: 1 } }));
    expect(rows.map(({ model, aboveMajority, attempts }) => [model.id, aboveMajority, attempts])).toEqual([
      ['above', true, 7],
      ['about', false, undefined],
    ]);
  });

  it('can do without intervals', () => {
    const { rows } = view(content, { intervals: false });
    expect(rows[0]).toMatchObject({ rank: 1, rankLow: null, rankHigh: null, tie: false, first: null });
  });
});

describe('ranks from joint resamples', () => {
  const wobble = Float32Array.from({ length: 1000 }, (_, draw) => 0.03 * Math.sin(draw));
  const blobs = new Map([
    ['of a', { accuracy: wobble.map((each) => 0.8 + each) }],
    ['of b', { accuracy: wobble.map((each) => 0.79 + each) }],
    ['of c', { accuracy: wobble.map((each) => 0.785 - each) }],
  ]);
  const resamples = (digest: string) => blobs.get(digest);
  const model = (id: string, accuracy: number) => ({
    accuracy,
    standardError: 0.02,
    known: { resamples: { one: [`of ${id}`] } },
  });
  const content = boardContent({ a: model('a', 0.8), b: model('b', 0.79) }, { weights: { accuracy: 1 } });
  const joint = (board: BoardContent) => leaderboardView(published(board), { amrs: 'official' }, { resamples });

  it('tell models apart that err on the same examples, which models drawn by themselves are not', () => {
    expect(joint(content).rows.map(({ rankLow, rankHigh, first, tie }) => [rankLow, rankHigh, first, tie])).toEqual([
      [1, 1, 1, false],
      [2, 2, 0, false],
    ]);
    expect(view(content).rows.map(({ rankLow, rankHigh, tie }) => [rankLow, rankHigh, tie])).toEqual([
      [1, 2, true],
      [1, 2, true],
    ]);
  });

  it('do not tell apart those that err on others', () => {
    const board = boardContent({ a: model('a', 0.8), c: model('c', 0.785) }, { weights: { accuracy: 1 } });
    const { rows } = joint(board);
    expect(rows.map(({ rankLow, rankHigh, tie }) => [rankLow, rankHigh, tie])).toEqual([
      [1, 2, true],
      [1, 2, true],
    ]);
    expect(rows[0]!.first! + rows[1]!.first!).toBeCloseTo(1, 2);
  });

  it('take a model whose resamples are gone as drawn by itself', () => {
    const board = boardContent({ a: model('a', 0.8), gone: model('gone', 0.79) }, { weights: { accuracy: 1 } });
    expect(joint(board).rows.map(({ rankLow, rankHigh }) => [rankLow, rankHigh])).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('the matrix of a board', () => {
  const datasets = [boardDataset('one'), boardDataset('two'), boardDataset('r1', { role: 'round', round: 1 })];
  const metrics = ['accuracy', 'fairness', 'throughput', 'memory'];
  const models = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `m${n}`,
      {
        accuracy: { one: 0.5 + n / 200, two: 0.9 - (n % 17) / 50, r1: n === 5 ? null : 0.6 + (n % 7) / 30 },
        throughput: 300 - n,
        memory: 1 + (n % 13) / 9,
        more: { fairness: 0.3 + (n % 11) / 20 },
        known: { own: n % 9 === 0 ? ['r1'] : [] },
      },
    ]),
  );
  const content = boardContent(models, {
    datasets,
    metrics,
    weights: { accuracy: 4, fairness: 1, throughput: 1, memory: 1 },
    utilities: {
      memory: [
        [1, 10],
        [2, 5],
        [3, 0],
      ],
    },
  });

  it.each([
    {},
    { weights: { memory: 3, fairness: 0 } },
    { datasets: { two: 0.9, r1: 0 } },
    { ownRounds: 'count' },
    { amrs: 'live', weights: { accuracy: 1 } },
  ])('gives a browser the order and the Dynascores of the board, to the bit: %j', async (query) => {
    const { bytes } = await matrixBody(published(content), 'identity');
    const file = decodeMatrix(bytes);
    const { weights = {}, datasets: chosen = {}, amrs = 'official', ownRounds } = query as Partial<Weighing>;
    const { ranking } = new RankableMatrix(file.matrix, { datasets: chosen, ownRounds }).rank({ weights, amrs });

    const board = view(content, query);
    expect(board.rows.length).toBeGreaterThan(50);
    expect(Array.from(ranking.order, (row) => file.matrix.ids[row])).toEqual(ids(board));
    expect([...ranking.dynascore]).toEqual(board.rows.map(({ dynascore }) => dynascore));
    expect([...ranking.rank]).toEqual(board.rows.map(({ rank }) => rank));
    expect([file.names[3], file.owners[3], file.revision]).toEqual(['Model m3', 'owner of m3', 7]);
  });

  it('gives a browser the intervals of the board, and when and of what size each model came', async () => {
    const { bytes } = await matrixBody(published(content), 'identity');
    const { matrix, sizes, acceptedAt } = decodeMatrix(bytes);
    const { board, standardErrors } = new RankableMatrix(matrix, { datasets: {} }).aggregated;
    const { rows } = view(content, {});

    const row = rows[5]!;
    const place = matrix.ids.indexOf(row.model.id);
    for (const [column, { name }] of matrix.metrics.entries()) {
      const cell = place * matrix.metrics.length + column;
      expect(board.values[cell]).toBe(row.metrics[name]!.value);
      const error = row.metrics[name]!.standardError;
      if (error === null) expect(standardErrors[cell]).toBeNaN();
      else expect(standardErrors[cell]! / error!).toBeCloseTo(1, 6);
    }
    expect(rows.some(({ metrics }) => metrics['accuracy']!.standardError !== null)).toBe(true);
    expect([sizes[place], acceptedAt[place]]).toEqual([row.size ?? null, row.acceptedAt ?? null]);
  });

  it('gives a browser the costs that were measured under contention or on few examples', async () => {
    const [first, ...others] = content.models;
    const cells = Object.fromEntries(
      Object.entries(first!.cells).map(([name, cell]) => [
        name,
        {
          ...cell,
          memory: { value: 1, low: null, high: null, contended: true as const },
          throughput: { value: 9, low: null, high: null, short: true as const },
        },
      ]),
    );
    const disturbed = { ...content, models: [{ ...first!, cells }, ...others] };
    const fileOf = async (of: typeof content) => decodeMatrix((await matrixBody(published(of), 'identity')).bytes);
    const file = await fileOf(disturbed);
    expect(file.contended!.slice(0, 2)).toEqual([['memory'], []]);
    expect(file.short!.slice(0, 2)).toEqual([['throughput'], []]);
    const plain = await fileOf(content);
    expect([plain.contended, plain.short]).toEqual([undefined, undefined]);
  });

  it('is refused where it is cut or another file', async () => {
    const { bytes } = await matrixBody(published(content), 'identity');
    expect(() => decodeMatrix(bytes.subarray(0, bytes.length - 1))).toThrow(RangeError);
    const other = Buffer.from(bytes);
    other.set(Buffer.from('assay-matrix-9'), bytes.indexOf('assay-matrix-2'));
    expect(() => decodeMatrix(other)).toThrow('not assay-matrix-2 or assay-matrix-3');
  });

  it('is compressed as asked', async () => {
    const plain = await matrixBody(published(content), 'identity');
    const [br, gzip] = [await matrixBody(published(content), 'br'), await matrixBody(published(content), 'gzip')];
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(new Set([plain.etag, br.etag, gzip.etag]).size).toBe(3);
  });
});

describe('contenders', () => {
  it('are the first 50, who might be among the first 10, and the models in the loop', () => {
    const models = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `m${n}`,
        { accuracy: 0.9 - n / 100, standardError: n === 55 ? 0.5 : 0.001 },
      ]),
    );
    const named = contenders(published(boardContent(models, { weights: { accuracy: 1 } })), new Set(['m58']));

    expect([named.size, named.has('m49'), named.has('m50'), named.has('m55'), named.has('m58')]).toEqual([
      52,
      true,
      false,
      true,
      true,
    ]);
  });
});
