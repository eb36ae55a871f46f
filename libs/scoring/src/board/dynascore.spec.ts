import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aggregate } from './aggregation.js';
import { calibrate, type Calibration } from './dynascore.js';
import { fitOwnCells } from './own-cells.js';
import { rankBoard } from './ranking.js';
import type { BoardMetric } from './utility.js';
import {
  prepareBoard,
  rank,
  type BoardRow,
  type RankedBoard,
  type RankOptions,
} from '../../../../test/factories/models/ranked-rows.js';

interface GoldenCase {
  name: string;
  models: Record<string, number>[];
  weights: Record<string, number>;
  direction: Record<string, 1 | -1>;
  offset: Record<string, number>;
  performance: string;
  amrs: Record<string, number>;
  dynascore: number[];
}
interface MedianCase {
  name: string;
  utilities: number[][];
  weights: number[];
  amrs: number[];
  dynascore: number[];
}

/** A metric that is its own utility: the unit is neither a ratio nor counted against a limit. */
const plain = (name: string): BoardMetric => ({ name, unit: 'examples/s', direction: 'higher' });
const scoresById = (board: RankedBoard): Record<string, number> =>
  Object.fromEntries(board.rows.map((row) => [row.id, row.dynascore]));

describe('the published algorithm (amrs=live)', () => {
  const { cases } = JSON.parse(readFileSync(new URL('../../golden/dynascore.json', import.meta.url), 'utf8')) as {
    cases: GoldenCase[];
  };

  it.each(cases)('$name', (example) => {
    const metrics = Object.keys(example.direction).map((name): BoardMetric => {
      const direction = example.direction[name] === -1 ? 'lower' : 'higher';
      return { name, unit: direction === 'lower' ? 'GiB' : 'examples/s', direction, limit: example.offset[name]! };
    });
    const rows = example.models.map((model, index) => ({ id: String(index), metrics: model }));
    const { weights, performance } = example;
    const board = rank(rows, { metrics, performance, weights, amrs: 'live' });
    const scores = scoresById(board);

    for (const [name, rate] of Object.entries(example.amrs)) expect(board.calibration.amrs[name]).toBeCloseTo(rate, 9);
    for (const [index, score] of example.dynascore.entries()) expect(scores[index]).toBeCloseTo(score, 9);
  });

  it('jumps when a copy of the best arrives, unless the rates are kept', () => {
    const { models, weights, performance } = cases[0]!;
    const metrics = Object.keys(weights).map(plain);
    const before = models.map((model, index) => ({ id: String(index), metrics: model }));
    const after = [...before, { id: 'copy', metrics: { ...models[0], perf: 70.01 } }];
    const best = (rows: BoardRow[], amrs: RankOptions['amrs']): number =>
      scoresById(rank(rows, { metrics, performance, weights, amrs }))['0']!;
    const { calibration } = rank(before, { metrics, performance, weights, amrs: 'median' });

    expect(best(after, 'live') - best(before, 'live')).toBeGreaterThan(10);
    expect(best(after, calibration)).toBe(best(before, 'median'));
  });
});

describe('the official rule (median)', () => {
  const cases = JSON.parse(
    readFileSync(new URL('../../golden/dynascore-median.json', import.meta.url), 'utf8'),
  ) as MedianCase[];

  it.each(cases)('$name', ({ utilities, weights, amrs, dynascore }) => {
    const names = weights.map((_, column) => `m${column}`);
    const board = rank(
      utilities.map((row, index) => ({ id: String(index), metrics: named(names, row) })),
      { metrics: names.map(plain), performance: 'm0', weights: named(names, weights), amrs: 'median' },
    );

    for (const [column, rate] of amrs.entries()) expect(board.calibration.amrs[`m${column}`]).toBeCloseTo(rate, 12);
    for (const [index, score] of dynascore.entries()) expect(scoresById(board)[index]).toBeCloseTo(score, 10);
  });
});

describe('the Dynascore', () => {
  const metrics: BoardMetric[] = [
    { name: 'accuracy', unit: 'ratio', direction: 'higher' },
    plain('throughput'),
    { name: 'memory', unit: 'GiB', direction: 'lower', limit: 4 },
  ];
  const options: RankOptions = {
    metrics,
    performance: 'accuracy',
    weights: { accuracy: 4, throughput: 1, memory: 1 },
    amrs: 'live',
  };
  const model = (id: string, accuracy: number, throughput: number, memory: number): BoardRow => ({
    id,
    metrics: { accuracy, throughput, memory },
  });
  const models = fc
    .array(
      fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 40 })),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map((rows) => rows.map(([a, t, m], index) => model(`m${index}`, a / 100, t, m / 10)));

  it('does not change with the scale of the weights', () => {
    fc.assert(
      fc.property(models, fc.double({ min: 0.01, max: 100, noNaN: true }), (rows, scale) => {
        const scaled = { accuracy: 4 * scale, throughput: scale, memory: scale };
        const before = scoresById(rank(rows, options));
        const after = scoresById(rank(rows, { ...options, weights: scaled }));
        for (const { id } of rows) expect(after[id]! / before[id]! || 1).toBeCloseTo(1, 9);
      }),
    );
  });

  it('does not change with the order of the models', () => {
    fc.assert(
      fc.property(models, (rows) => {
        const before = scoresById(rank(rows, options));
        const after = scoresById(rank(rows.toReversed(), options));
        for (const { id } of rows) expect(after[id]! / before[id]! || 1).toBeCloseTo(1, 9);
      }),
    );
  });

  it.each([0.7 + 2 ** -50, 0.7 - 2 ** -50])('takes models for tied that differ by rounding alone: %d', (rounded) => {
    // either may be the one whose sum was rounded up
    const rows = [model('a', 0.5, 10, 1), model('b', rounded, 6, 3), model('b2', 0.7, 8, 3), model('c', 0.8, 9, 3.5)];
    const { calibration } = rank(rows, options);
    const exact = rank([rows[0]!, model('b', 0.7, 6, 3), ...rows.slice(2)], options).calibration;

    expect(calibration.pairs.map(({ lower, upper }) => [lower, upper.toSorted()])).toEqual([
      [['a'], ['b', 'b2']],
      [expect.arrayContaining(['b', 'b2']), ['c']],
    ]);
    for (const [name, rate] of Object.entries(exact.amrs)) expect(calibration.amrs[name]).toBeCloseTo(rate, 9);
  });

  it('names the pairs that made its rates', () => {
    const { calibration } = rank([model('a', 0.5, 10, 1), model('b', 0.7, 6, 3), model('b2', 0.7, 8, 3)], options);

    expect(calibration).toMatchObject({ rule: 'live', models: 3, degenerate: null });
    expect(calibration.pairs).toHaveLength(1);
    expect(calibration.pairs[0]).toMatchObject({ lower: ['a'], upper: ['b', 'b2'] });
    expect(calibration.pairs[0]!.gaps).toMatchObject({ throughput: 3, memory: 2 });
    expect(calibration.pairs[0]!.gaps['accuracy']).toBeCloseTo(20, 12);
    expect(calibration.amrs['throughput']).toBeCloseTo(0.15, 12);
  });

  it('names the pairs that the median was read from', () => {
    const rows = [model('a', 0.1, 1, 1), model('b', 0.2, 3, 1), model('c', 0.3, 4, 1), model('d', 0.4, 9, 1)];
    const median = (of: BoardRow[]) => rank(of, { ...options, amrs: 'median' }).calibration;

    // per point of accuracy: 0.2, 0.1, 0.5
    expect(median(rows).medianPairs['throughput']).toEqual([0]);
    expect(median(rows).amrs['throughput']).toBeCloseTo(0.2, 12);
    expect(median(rows.slice(1)).medianPairs['throughput']).toEqual([0, 1]);
    expect(median(rows.slice(1)).amrs['throughput']).toBeCloseTo(0.3, 12);
    expect(median(rows.slice(3)).medianPairs['throughput']).toEqual([]);
    expect(rank(rows, options).calibration.medianPairs).toEqual({});
  });

  it('takes no information from a cost that differs no more than measuring again does', () => {
    const rows = [model('a', 0.5, 10, 1), model('b', 0.6, 12, 3), model('c', 0.7, 16, 3)];
    const board = prepareBoard(rows, metrics, 'accuracy');
    const rates = (throughput: number) => calibrate(board, options.weights, 'median', { spreads: { throughput } });

    expect(rates(1.9)).toMatchObject({ withinSpread: {}, amrs: { throughput: expect.closeTo(0.3, 12) as unknown } });
    expect(rates(2)).toMatchObject({ withinSpread: { throughput: { range: 6, spread: 2 } }, amrs: { throughput: 0 } });
    expect(rates(2).amrs['memory']).toBe(rates(0).amrs['memory']);
    const ranking = rankBoard(board, options.weights, rates(2));
    expect(Array.from(ranking.weights)).toEqual([0.8, 0, 0.2]);
    // where nothing is left, the performance alone counts
    expect(rankBoard(board, { throughput: 1 }, rates(2)).degenerate).toBe('no_information');
  });

  it('looks only at models that are ranked for the range of a cost', () => {
    const rows = [model('a', 0.5, 10, 1), model('b', 0.6, 11, 3), { id: 'c', metrics: { throughput: 900, memory: 1 } }];
    const board = prepareBoard(rows, metrics, 'accuracy');

    expect(calibrate(board, options.weights, 'live', { spreads: { throughput: 1 } }).amrs['throughput']).toBe(0);
  });

  const curve = [
    [0, 0],
    [0.3, 10],
    [0.9, 100],
  ] as const;
  const owned: RankOptions = {
    ...options,
    amrs: 'median',
    metrics: [
      { ...metrics[0]!, curve },
      metrics[1]!,
      {
        ...metrics[2]!,
        curve: [
          [0.5, 5],
          [4, 0],
        ],
      },
    ],
  };

  it('ranks by the owner’s own utilities', () => {
    const board = rank([model('a', 0.3, 10, 0.1), model('b', 0.6, 6, 2.25)], { ...owned, amrs: { ...kept(owned) } });

    expect(scoresById(board)['a']).toBeCloseTo((4 * 10 + 10 + 5) / 6, 12);
    expect(scoresById(board)['b']).toBeCloseTo((4 * 55 + 6 + 2.5) / 6, 12);
  });

  it('does not change with the scale of the weights or the order of the models, whatever the utilities, and own rounds fitted', () => {
    fc.assert(
      fc.property(models, fc.double({ min: 0.01, max: 100, noNaN: true }), fc.nat(), (rows, scale, pick) => {
        const before = scoresById(rank(withOwnRound(rows, pick % rows.length, 1), owned));
        const weights = { accuracy: 4 * scale, throughput: scale, memory: scale };
        const turned = withOwnRound(rows, pick % rows.length, scale).toReversed();
        const after = scoresById(rank(turned, { ...owned, weights }));
        for (const { id } of rows) expect(after[id]! / before[id]! || 1).toBeCloseTo(1, 9);
      }),
    );
  });

  it('does not move, by the rates of the benchmark version, when a copy of any model is submitted', () => {
    fc.assert(
      fc.property(models, fc.nat(), fc.constantFrom<RankOptions>(owned, options), (rows, pick, chosen) => {
        const official = rank(rows, { ...chosen, amrs: 'median' });
        const copy = { ...rows[pick % rows.length]!, id: 'copy' };
        const after = rank([...rows, copy], { ...chosen, amrs: official.calibration });
        expect(after.calibration.amrs).toBe(official.calibration.amrs);
        const scores = scoresById(after);
        expect(scores['copy']).toBe(scores[rows[pick % rows.length]!.id]);
        for (const row of official.rows) expect(scores[row.id]).toBe(row.dynascore);
      }),
    );
  });

  it('passes the weight of a metric without information on', () => {
    const rows = [model('a', 0.5, 10, 0.1 + 0.2), model('b', 0.7, 6, 0.3)];
    const board = rank(rows, options);

    expect(board.calibration.amrs['memory']).toBe(0);
    expect(board.weights).toEqual({ accuracy: 0.8, throughput: 0.2, memory: 0 });
    expect(scoresById(board)).toEqual(scoresById(rank(rows, { ...options, weights: { accuracy: 4, throughput: 1 } })));
  });

  it('does not look at what weighs nothing', () => {
    const rows = [{ id: 'a', metrics: { accuracy: 0.5, throughput: 10 } }, model('b', 0.7, 6, 1)];
    const board = rank(rows, { ...options, weights: { accuracy: 1, throughput: 1, memory: 0 } });

    expect(board.rows).toHaveLength(2);
    expect(board.incomplete).toEqual([]);
  });

  it.each([
    ['one_model', [model('a', 0.5, 10, 1)]],
    ['equal_performance', [model('a', 0.5, 10, 1), model('b', 0.5, 20, 2)]],
    ['equal_performance', [model('a', 0, 10, 1), model('b', 0, 20, 2)]],
    ['no_models', []],
  ])('is the performance alone, and says why: %s', (reason, rows) => {
    const board = rank(rows, options);

    expect(board.degenerate).toBe(reason);
    for (const row of board.rows)
      expect(row).toMatchObject({ rank: 1, dynascore: 100 * (rows[0]!.metrics['accuracy'] ?? NaN) });
  });

  it('is the performance alone where no weighted metric has information', () => {
    const board = rank([model('a', 0.5, 10, 1), model('b', 0.7, 10, 1)], { ...options, weights: { memory: 1 } });

    expect(board).toMatchObject({
      degenerate: 'no_information',
      rows: [
        { id: 'b', dynascore: 70 },
        { id: 'a', dynascore: 50 },
      ],
    });
  });

  it('keeps the rates it is given', () => {
    const kept = rank([model('a', 0.5, 10, 1), model('b', 0.7, 6, 3)], options).calibration;
    const later = rank([model('a', 0.5, 10, 1), model('b', 0.7, 6, 3), model('c', 0.9, 500, 1)], {
      ...options,
      amrs: kept,
    });

    expect(later.calibration).toBe(kept);
    expect(scoresById(later)['b']).toBeCloseTo((4 / 6) * 70 + (1 / 6) * (6 / 0.2) + (1 / 6) * (1 / 0.1), 10);
  });

  it.each([
    [{ accuracy: 0 }, 'all_weights_zero'],
    [{}, 'all_weights_zero'],
    [{ accuracy: -1 }, 'invalid_weight'],
    [{ accuracy: Infinity }, 'invalid_weight'],
    [{ speed: 1 }, 'unknown_metric'],
  ])('refuses the weights %j', (weights, code) => {
    const refused = () => rank([model('a', 0.5, 10, 1)], { ...options, weights: weights });

    expect(refused).toThrow(expect.objectContaining({ kind: 'invalid', code }));
  });

  it('refuses to weigh by a rate that the benchmark version does not have', () => {
    const kept = {
      ...rank([model('a', 0.5, 10, 1), model('b', 0.7, 6, 3)], options).calibration,
      amrs: { accuracy: 1 },
    };
    const refused = () => rank([model('a', 0.5, 10, 1)], { ...options, amrs: kept });

    expect(refused).toThrow(expect.objectContaining({ code: 'no_amrs' }));
  });
});

/** Rates of 1, as a benchmark version keeps them. */
function kept({ metrics }: RankOptions): Calibration {
  const amrs = Object.fromEntries(metrics.map(({ name }) => [name, 1]));
  return { rule: 'median', amrs, pairs: [], medianPairs: {}, withinSpread: {}, models: 10, degenerate: null };
}

/** The rows with their accuracy as the mean of two rounds, the second of which was collected against one of them. */
function withOwnRound(rows: readonly BoardRow[], against: number, scale: number): BoardRow[] {
  const accuracies = rows.map((row) => row.metrics['accuracy']!);
  const values = Float64Array.from(
    accuracies.flatMap((accuracy, index) => [accuracy, index === against ? 0 : accuracy / 2]),
  );
  const own = new Uint8Array(values.length).with(2 * against + 1, 1);
  const fitted = fitOwnCells(values, own, Float64Array.of(scale, 3 * scale)).values;
  return rows.map((row, index) => {
    const second =
      index === against ? { value: fitted[2 * index + 1]!, estimated: true } : { value: values[2 * index + 1]! };
    const { estimate } = aggregate({ r1: { value: values[2 * index]! }, r2: second }, { r1: scale, r2: 3 * scale });
    return { ...row, metrics: { ...row.metrics, accuracy: estimate?.value ?? null } };
  });
}

function named(names: readonly string[], values: readonly number[]): Record<string, number> {
  return Object.fromEntries(names.map((name, column) => [name, values[column]!]));
}
