import type { MatrixFile } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import { allColumns, columnsOf, type FigureColumn, usualColumns } from './board-columns.js';
import { performanceAlone, rankModels, TASKS_OWN, unrankedRows, viewBoard } from './board-ranks.js';

const ACCURACY = { name: 'accuracy', unit: 'ratio', direction: 'higher', isScore: true, range: [0, 1] } as const;
const MEMORY = { name: 'memory', unit: 'GiB', direction: 'lower', isScore: false, limit: 4 } as const;

/** Two datasets; `a` is the most accurate, `b` the smallest; `round` was collected against `c`; `a` came before `round` was public. */
const FILE: MatrixFile = {
  task: 'moods',
  benchmarkVersion: 1,
  revision: 3,
  publishedAt: '2026-01-01T00:00:00.000Z',
  names: ['A', 'B', 'C'],
  owners: ['ada', 'ada', 'kim'],
  kinds: ['container', 'container', 'container'],
  sizes: [1, 2, 3],
  acceptedAt: [null, null, null],
  clean: Uint8Array.of(1, 1, 1, 0, 1, 0),
  matrix: {
    ids: ['a', 'b', 'c'],
    metrics: [ACCURACY, MEMORY],
    performance: 'accuracy',
    datasets: [
      { name: 'static', role: 'static', examples: 200 },
      { name: 'round', role: 'round', round: 1, examples: 100 },
    ],
    aggregate: { recency: 1, static: 0.5, minimumExamples: 10, ownRounds: 'adjust' },
    weights: { accuracy: 1 },
    amrs: { accuracy: 1, memory: 0.1 },
    spreads: {},
    values: [Float64Array.of(0.9, 0.8, 0.7, 0.6, 0.8, 0.1), Float64Array.of(3, 3, 1, 1, 2, 2)],
    errors: [Float64Array.of(0.03, 0.04, 0.03, 0.04, 0.03, 0.04), new Float64Array(6).fill(NaN)],
    own: Uint8Array.of(0, 0, 0, 0, 0, 1),
    isUndefined: new Uint8Array(4),
  },
};

const view = viewBoard(FILE, TASKS_OWN);
const column = (id: string): FigureColumn => columnsOf(allColumns(FILE.matrix), [id])[0] as FigureColumn;

describe('the figure of an own round', () => {
  const cell = column('accuracy@round');

  it('is the measured one on boards of the first rules', () => {
    expect(view.figures.figure(cell, 2)).toMatchObject({ value: 0.1, marks: ['own', 'contaminated'] });
  });

  it('is the fitted one, with an interval, under the second rules', () => {
    const file: MatrixFile = { ...FILE, matrix: { ...FILE.matrix, rules: 2 } };
    const own = viewBoard(file, TASKS_OWN).figures.figure(cell, 2)!;
    expect(own.value).toBeCloseTo(0.7, 12);
    expect(own.marks).toEqual(['own', 'estimated', 'contaminated']);
    expect(own.high! - own.value).toBeCloseTo(1.959963984540054 * 0.03, 5);
  });
});

describe('the ranks of a board', () => {
  it('follow the weights of metrics and of datasets', () => {
    expect([...rankModels(view, TASKS_OWN).ranks]).toEqual([1, 3, 2]);
    expect([...rankModels(view, { ...TASKS_OWN, weights: { memory: 9 } }).ranks]).toEqual([3, 1, 2]);
    const counted = viewBoard(FILE, { datasets: {}, ownRounds: 'count' });
    expect([...rankModels(counted, TASKS_OWN).ranks]).toEqual([1, 2, 3]);
  });

  it('are among the clean models alone where that is asked for, as far as datasets weigh', () => {
    const clean = { ...TASKS_OWN, exposure: 'clean' } as const;
    expect([...rankModels(view, clean).ranks]).toEqual([1, 0, 0]);
    expect([...rankModels(viewBoard(FILE, { datasets: { round: 0 }, ownRounds: null }), clean).ranks]).toEqual([
      1, 3, 2,
    ]);
  });

  it('are the task’s own, with the reason, where the weights cannot rank', () => {
    const nothing = rankModels(view, { ...TASKS_OWN, weights: { accuracy: 0 } });
    expect([...nothing.ranks]).toEqual([1, 3, 2]);
    expect(nothing.refusal).toContain('weight');
    const unknown = viewBoard(FILE, { datasets: { other: 1 }, ownRounds: null });
    expect(rankModels(unknown, TASKS_OWN).refusal).toContain('other');
  });

  it('leave out models below the baseline, whose scores follow', () => {
    const { amrs: _, ...matrix } = FILE.matrix;
    const exchange = { kind: 'fixed', rates: { memory: 1 }, references: { memory: 1 } } as const;
    const baselines = { rows: [[0.65, 0.5]], clean: FILE.clean };
    const gated = viewBoard({ ...FILE, matrix: { ...matrix, amrs: null, exchange, baselines } }, TASKS_OWN);
    const { ranks, below } = rankModels(gated, TASKS_OWN);
    // the clean cells of `b` and `c` are those of `static`: 0.7 ± 0.06 and 0.8 ± 0.06
    expect([...ranks]).toEqual([1, 0, 2]);
    expect([...below!.order]).toEqual([1]);
    expect(below!.dynascore[0]).toBeCloseTo(65, 12);
    expect(rankModels(gated, { ...TASKS_OWN, amrs: 'live' }).below).toBeNull();
  });

  it('say what each metric is of the score', () => {
    expect(rankModels(view, { ...TASKS_OWN, weights: { memory: 3 } }).shares).toEqual({ accuracy: 0.25, memory: 0.75 });
  });

  it('say what each metric is of the score where no model has all metrics, and where there is no model', () => {
    const noCosts = [FILE.matrix.values[0]!, new Float64Array(6).fill(NaN)];
    const weights = { accuracy: 4, memory: 1 };
    const predictions = { ...FILE, matrix: { ...FILE.matrix, weights, amrs: null, values: noCosts } };
    const { shares, ranking } = rankModels(viewBoard(predictions, TASKS_OWN), TASKS_OWN);
    expect([ranking.order.length, shares]).toEqual([0, { accuracy: 0.8, memory: 0.2 }]);

    const none = [new Float64Array(0), new Float64Array(0)];
    const matrix = { ...predictions.matrix, ids: [], values: none, errors: none, own: new Uint8Array(0) };
    const empty = { ...FILE, names: [], owners: [], kinds: [], sizes: [], acceptedAt: [], clean: new Uint8Array(0) };
    const nobody = viewBoard({ ...empty, matrix }, TASKS_OWN);
    expect(rankModels(nobody, TASKS_OWN).shares).toEqual({ accuracy: 0.8, memory: 0.2 });
  });
});

describe('a figure of the board', () => {
  it('is the mean over the datasets, with its interval and how many examples it is of', () => {
    const figure = view.figures.figure(column('accuracy'), 0)!;
    expect(figure).toMatchObject({ examples: 300, marks: [] });
    expect([figure.value, figure.low!, figure.high!].map((each) => each.toFixed(3))).toEqual([
      '0.850',
      '0.801',
      '0.899',
    ]);
  });

  it('says that some of it is fitted, and that data was public before', () => {
    expect(view.figures.figure(column('accuracy'), 2)).toMatchObject({ marks: ['estimated', 'contaminated'] });
    expect(view.figures.figure(column('accuracy@round'), 2)).toMatchObject({
      ...{ value: 0.1, examples: 100 },
      marks: ['own', 'contaminated'],
    });
    expect(view.figures.figure(column('accuracy@static'), 2)).toMatchObject({ marks: [] });
  });

  it('of a cost has no interval and knows no exposure', () => {
    expect(view.figures.figure(column('memory'), 2)).toMatchObject({
      value: 2,
      low: null,
      marks: [],
    });
  });

  it('of a cost says that it was measured under contention, or on few examples', () => {
    const memory = [[], [], ['memory']];
    const { figures } = viewBoard({ ...FILE, contended: memory, short: memory }, TASKS_OWN);
    expect(figures.figure(column('memory'), 2)).toMatchObject({ marks: ['contended', 'short'] });
    expect(figures.figure(column('memory'), 1)).toMatchObject({ marks: [] });
  });

  it('is missing where there is no value', () => {
    const values = [FILE.matrix.values[0]!, FILE.matrix.values[1]!.with(0, NaN)];
    const file = { ...FILE, matrix: { ...FILE.matrix, values } };
    expect(viewBoard(file, TASKS_OWN).figures.figure(column('memory'), 0)).toBeUndefined();
  });

  it('stands on a scale that holds the intervals of its column', () => {
    const [from, to] = view.figures.scale(column('accuracy@static'));
    expect([from.toFixed(3), to.toFixed(3)]).toEqual(['0.641', '0.959']);
    expect(view.figures.scale(column('memory'))).toEqual([1, 3]);
  });
});

describe('the columns of a board', () => {
  it('are by themselves the performance, what weighs, and the loop', () => {
    expect(usualColumns(FILE.matrix, {})).toEqual(['accuracy', 'loop']);
    expect(usualColumns(FILE.matrix, { memory: 2 })).toEqual(['accuracy', 'memory', 'loop']);
  });

  it('are those that an address names, as far as there are any', () => {
    const shown = columnsOf(allColumns(FILE.matrix), ['size', 'nothing', 'accuracy@round', 'memory@round']);
    expect(shown.map(({ id }) => id)).toEqual(['size', 'accuracy@round']);
  });
});

const WEIGHTS = { accuracy: 4, memory: 1 };

/** Models of these accuracies and memories on one dataset; NaN where a model has none. */
function boardOf(accuracy: readonly number[], memory: readonly number[]): MatrixFile {
  const ids = accuracy.map((_, model) => `m${model}`);
  const all = <T>(value: T): T[] => ids.map(() => value);
  return {
    ...{ task: 'moods', benchmarkVersion: 1, revision: 1, publishedAt: '2026-01-01T00:00:00.000Z' },
    ...{ names: ids, owners: all('ada'), kinds: all('predictions'), sizes: all(1), acceptedAt: all(null) },
    clean: Uint8Array.from(ids, (_, model) => (model === 1 ? 0 : 1)),
    matrix: {
      ids,
      metrics: [ACCURACY, MEMORY],
      performance: 'accuracy',
      datasets: [{ name: 'static', role: 'static', examples: 200 }],
      aggregate: { recency: 1, static: 0.5, minimumExamples: 10, ownRounds: 'adjust' },
      weights: WEIGHTS,
      amrs: null,
      spreads: {},
      values: [Float64Array.from(accuracy), Float64Array.from(memory)],
      errors: [new Float64Array(ids.length).fill(0.02), new Float64Array(ids.length).fill(NaN)],
      own: new Uint8Array(ids.length),
      isUndefined: new Uint8Array(2),
    },
  };
}

function unranked(file: MatrixFile, choice: Partial<typeof TASKS_OWN> = {}) {
  const view = viewBoard(file, TASKS_OWN);
  const asked = { ...TASKS_OWN, ...choice };
  const { models, lacking } = unrankedRows(view, rankModels(view, asked), asked.exposure);
  return [[...models], lacking];
}

describe('the scored models without a rank', () => {
  const predictions = boardOf([0.7, 0.9, 0.8], [NaN, NaN, NaN]);

  it('are, where costs weigh, all predictions by their performance', () =>
    expect(unranked(predictions)).toEqual([[1, 2, 0], ['memory']]));

  it('are ranked once the performance alone weighs', () => {
    const weights = performanceAlone(WEIGHTS, 'accuracy');
    expect(weights).toEqual({ memory: 0 });
    expect(unranked(predictions, { weights })).toEqual([[], []]);
    const view = viewBoard(predictions, TASKS_OWN);
    expect([...rankModels(view, { ...TASKS_OWN, weights }).ranks]).toEqual([3, 1, 2]);
    expect(performanceAlone({ memory: 1 }, 'accuracy')).toEqual({ accuracy: 1, memory: 0 });
  });

  it('are neither the ranked ones, nor those without a figure of the performance', () =>
    expect(unranked(boardOf([0.7, NaN, 0.8], [1, 2, NaN]))).toEqual([[2], ['memory']]));

  it('are only clean models where only those are asked for', () =>
    expect(unranked(predictions, { exposure: 'clean' })).toEqual([[2, 0], ['memory']]));
});
