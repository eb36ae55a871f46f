import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BoardMatrix, MatrixMetric } from './board-matrix.js';
import { type FixedExchange, pointsOf } from './exchange.js';
import { type MetricChoice, RankableMatrix } from './matrix-ranking.js';
import { utilityRule } from './utility.js';
import { weightStability } from '../ranks/weight-stability.js';

type Values = Readonly<Record<string, number>>;

interface GoldenCase {
  readonly name: string;
  readonly models: readonly Values[];
  readonly weights: Values;
  readonly rates: Values;
  readonly references: Values;
  readonly scores: readonly number[];
}

const METRICS: readonly MatrixMetric[] = [
  { name: 'accuracy', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'robustness', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'brier', unit: 'ratio', direction: 'lower', isScore: true },
  { name: 'mae', unit: 'value', direction: 'lower', isScore: true },
  { name: 'cpu_time', unit: 's/example', direction: 'lower', isScore: false },
  { name: 'throughput', unit: 'examples/s', direction: 'higher', isScore: false },
  { name: 'memory', unit: 'GiB', direction: 'lower', limit: 4, isScore: false },
];
const RATES: FixedExchange = {
  kind: 'fixed',
  rates: { cpu_time: 1, throughput: 1, memory: 1 },
  references: { cpu_time: 0.001, throughput: 300, memory: 1 },
};

/** The matrix of models on one dataset. */
function matrixOf(models: readonly Values[], given: Partial<BoardMatrix> = {}): RankableMatrix {
  const { metrics = METRICS } = given;
  const matrix: BoardMatrix = {
    ids: models.map((_, index) => `m${index}`),
    metrics,
    performance: 'accuracy',
    datasets: [{ name: 'one', role: 'static', examples: 200 }],
    aggregate: { recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: 'adjust' },
    weights: { accuracy: 4, throughput: 1, memory: 1 },
    exchange: RATES,
    amrs: null,
    spreads: {},
    values: metrics.map(({ name }) => Float64Array.from(models, (model) => model[name] ?? NaN)),
    errors: null,
    own: new Uint8Array(models.length),
    isUndefined: new Uint8Array(metrics.length),
    ...given,
  };
  return new RankableMatrix(matrix, { datasets: {} });
}

const rankOf = (rankable: RankableMatrix, weights: Values = {}, amrs: MetricChoice['amrs'] = 'official') =>
  rankable.rank({ weights, amrs });

/** Returns the scores of the ranked models, by ID. */
function scoresOf(rankable: RankableMatrix, weights: Values = {}, amrs: MetricChoice['amrs'] = 'official') {
  const { ranking, board } = rankOf(rankable, weights, amrs);
  return Object.fromEntries(
    Array.from(ranking.order, (row, place) => [board.ids[row]!, ranking.dynascore[place]!]),
  ) as Readonly<Record<string, number>>;
}

const orderOf = (rankable: RankableMatrix, weights: Values = {}): readonly string[] => {
  const { ranking, board } = rankOf(rankable, weights);
  return Array.from(ranking.order, (row) => board.ids[row]!);
};

const model = fc.record({
  accuracy: fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
  throughput: fc.integer({ min: 1, max: 50_000 }),
  memory: fc.integer({ min: 1, max: 400 }).map((hundredths) => hundredths / 100),
});
const models = fc.array(model, { minLength: 1, maxLength: 12 });

describe('the score at fixed rates', () => {
  const cases = JSON.parse(
    readFileSync(new URL('../../golden/exchange.json', import.meta.url), 'utf8'),
  ) as GoldenCase[];

  it.each(cases)('$name', ({ models: given, weights, rates, references, scores }) => {
    const rankable = matrixOf(given, { weights, exchange: { kind: 'fixed', rates, references } });
    const found = scoresOf(rankable);
    for (const [index, score] of scores.entries()) expect(found[`m${index}`]).toBeCloseTo(score, 10);
  });

  it('ranks a fast constant model behind the real ones', () => {
    const [worked, audited] = cases.slice(0, 2).map(({ models: given, weights, rates, references }) => {
      const rankable = matrixOf(given, { weights, exchange: { kind: 'fixed', rates, references } });
      return { scores: scoresOf(rankable), order: orderOf(rankable) };
    });
    expect(Object.values(worked!.scores).map((score) => score.toFixed(1))).toEqual(['71.0', '67.0', '61.0', '46.8']);
    expect(audited!.order.at(-1)).toBe('m10');
    expect(audited!.scores['m10']!.toFixed(1)).toBe('36.5');
  });

  it('does not change when another model is submitted', () => {
    fc.assert(
      fc.property(models, model, (given, other) => {
        expect(scoresOf(matrixOf([...given, other]))).toMatchObject(scoresOf(matrixOf(given)));
      }),
    );
  });

  it('moves with the references by the same amount for all models', () => {
    const reference = fc.double({ min: 0.01, max: 1000, noNaN: true });
    fc.assert(
      fc.property(models, reference, reference, (given, throughput, memory) => {
        const moved = matrixOf(given, { exchange: { ...RATES, references: { throughput, memory } } });
        const [before, after] = [scoresOf(matrixOf(given)), scoresOf(moved)];
        const shift = after['m0']! - before['m0']!;
        for (const id of Object.keys(before)) expect(after[id]! - before[id]!).toBeCloseTo(shift, 9);
      }),
    );
  });

  it('does not depend on the scale of the weights', () => {
    fc.assert(
      fc.property(models, fc.double({ min: 0.01, max: 1000, noNaN: true }), (given, scale) => {
        const rankable = matrixOf(given);
        const scaled = scoresOf(rankable, { accuracy: 4 * scale, throughput: scale, memory: scale });
        for (const [id, score] of Object.entries(scoresOf(rankable))) expect(scaled[id]).toBeCloseTo(score, 9);
      }),
    );
  });

  it('is the sum of the points of the metrics', () => {
    fc.assert(
      fc.property(models, (given) => {
        const { ranking, board } = rankOf(matrixOf(given));
        for (const [place, row] of ranking.order.entries()) {
          const points = pointsOf(board, ranking.coefficients, row);
          expect(Object.keys(points)).toEqual(['accuracy', 'throughput', 'memory']);
          expect(Object.values(points).reduce((sum, each) => sum + each, 0)).toBe(ranking.dynascore[place]);
        }
      }),
    );
  });

  it('counts another unit as it is, and ignores metrics of weight 0', () => {
    const rankable = matrixOf([{ accuracy: 0.5, mae: 3, memory: 0.5 }]);
    const weights = { accuracy: 1, mae: 1, throughput: 0, memory: 2 };
    // (50 − 3) / 2 + 2 / 2 · log2(1 / 0.5)
    expect(scoresOf(rankable, weights)['m0']).toBeCloseTo(24.5, 12);
  });

  it('counts a cost with a curve among the percent metrics, in points', () => {
    const curve = [
      [0, 100],
      [2, 0],
    ] as const;
    const metrics = METRICS.map((metric) => (metric.name === 'memory' ? { ...metric, curve } : metric));
    const rankable = matrixOf([{ accuracy: 0.5, throughput: 600, memory: 1 }], { metrics });
    // (4 · 50 + 1 · 50) / 5 + 1 / 5 · log2(600 / 300)
    expect(scoresOf(rankable)['m0']).toBeCloseTo(50.2, 12);
  });

  it('gives a finite score for a cost that was measured as 0, and none for a missing one', () => {
    const rankable = matrixOf([
      { accuracy: 0.5, throughput: 300, memory: 0 },
      { accuracy: 0.6, throughput: 300 },
    ]);
    expect(scoresOf(rankable)).toEqual({ m0: 57.5 });
  });

  it('has no calibration and is never degenerate', () => {
    const { calibration, ranking } = rankOf(matrixOf([{ accuracy: 0.5, throughput: 300, memory: 1 }]));
    expect(calibration).toBeNull();
    expect(ranking.degenerate).toBeNull();
  });

  it('stays first when the weights of a model that is better in everything move', () => {
    const { board, effective } = rankOf(
      matrixOf([
        { accuracy: 0.5, throughput: 300, memory: 1 },
        { accuracy: 0.6, throughput: 400, memory: 0.5 },
      ]),
    );
    const { first, stays } = weightStability(board, effective, null, { seed: 'stable' });
    expect({ first, stays }).toEqual({ first: 'm1', stays: 1 });
  });

  it('refuses a weight above the bound and names it', () => {
    const rankable = matrixOf([{ accuracy: 0.5, throughput: 300, memory: 1 }]);
    expect(() => scoresOf(rankable, { accuracy: 1e308 })).toThrow('must be a number of at most 1000000, not 1e+308');
    expect(() => new RankableMatrix(rankable.matrix, { datasets: { one: 2e6 } })).toThrow('at most 1000000');
  });
});

describe('a board that can use AMRS', () => {
  const given = [
    { accuracy: 0.5, throughput: 100, memory: 1 },
    { accuracy: 0.6, throughput: 300, memory: 0.7 },
    { accuracy: 0.7, throughput: 200, memory: 0.4 },
  ];

  it('ranks amrs=live by the published formula, whatever its exchange', () => {
    const published = scoresOf(matrixOf(given), {}, 'live');
    const { exchange: _exchange, ...stored } = matrixOf(given).matrix;
    expect(published).toEqual(scoresOf(new RankableMatrix(stored, { datasets: {} }), {}, 'live'));
    expect(scoresOf(matrixOf(given, { exchange: { kind: 'amrs' } }))).toEqual(published);
    expect(published).not.toEqual(scoresOf(matrixOf(given)));
  });
});

describe('points per doubling', () => {
  it('has the slope of its logarithm', () => {
    const exchange = { rate: 2, reference: 1 };
    const { utilityOf, slopeAt } = utilityRule({ name: 'memory', unit: 'GiB', direction: 'lower', exchange });
    expect(utilityOf(0.25)).toBe(4);
    expect(slopeAt(0.5)).toBeCloseTo((utilityOf(0.5) - utilityOf(0.5001)) / 0.0001, 2);
    expect(utilityOf(NaN)).toBeNaN();
  });
});
