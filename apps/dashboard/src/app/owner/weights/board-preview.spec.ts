import type { MatrixFile } from '@assay/scoring/board';
import { describe, expect, it } from '@jest/globals';
import { previewBoard, standingWeighing } from './board-preview.js';

const NAMES = ['quick', 'right', 'mean'];
const file = {
  names: NAMES,
  owners: ['ada', 'ada', 'ben'],
  matrix: {
    ids: NAMES,
    performance: 'accuracy',
    metrics: [
      { name: 'accuracy', direction: 'higher', unit: 'ratio', isScore: true, range: [0, 1] },
      { name: 'throughput', direction: 'higher', unit: 'examples/s', isScore: false },
    ],
    datasets: [
      { name: 'r1', role: 'round', round: 1, examples: 100 },
      { name: 'set', role: 'static', examples: 100 },
    ],
    aggregate: { recency: 0.8, static: 0.5, minimumExamples: 10, ownRounds: 'adjust' },
    weights: { accuracy: 4, throughput: 1 },
    amrs: { accuracy: 1, throughput: 10 },
    spreads: {},
    values: [Float64Array.from([0.5, 0.5, 0.9, 0.8, 0.7, 0.9]), Float64Array.from([90, 90, 10, 10, 50, 50])],
    errors: null,
    own: new Uint8Array(6),
    isUndefined: new Uint8Array(4),
  },
} as unknown as MatrixFile;

describe('the preview of a board', () => {
  it('moves nobody where nothing changes', () => {
    const { moved, rows } = previewBoard(file, standingWeighing(file));
    expect(moved).toBe(0);
    expect(rows.map(({ after }) => after)).toEqual([1, 2, 3]);
  });

  it('ranks by the new weights, and says what each rank was', () => {
    const standing = standingWeighing(file);
    const fast = previewBoard(file, { ...standing, weights: { throughput: 1 } });
    expect(fast.rows.map(({ name, after }) => [name, after])).toEqual([
      ['quick', 1],
      ['mean', 2],
      ['right', 3],
    ]);
    const right = previewBoard(file, { ...standing, weights: { accuracy: 1, throughput: 0 } });
    expect(right.rows[0]).toMatchObject({ name: 'right', after: 1 });
  });

  it('ranks by the new weights of datasets', () => {
    const standing = standingWeighing(file);
    const weights = { accuracy: 1 };
    const rounds = previewBoard(file, { ...standing, weights, aggregate: { ...standing.aggregate, static: 0 } });
    expect(rounds.datasets).toEqual([
      { name: 'r1', before: 0.5, after: 1 },
      { name: 'set', before: 0.5, after: 0 },
    ]);
    expect(rounds.rows.map(({ name }) => name)).toEqual(['right', 'mean', 'quick']);
    const statics = previewBoard(file, { ...standing, weights, aggregate: { ...standing.aggregate, static: 1 } });
    expect(statics.rows.map(({ name }) => name)).toEqual(['mean', 'right', 'quick']);
  });

  it('converts costs at other exchange rates', () => {
    const exchange = { kind: 'fixed', rates: { throughput: 1 }, references: { throughput: 30 } } as const;
    const fixed = { ...file, matrix: { ...file.matrix, exchange, amrs: null } } as unknown as MatrixFile;
    const standing = standingWeighing(fixed);
    expect(standing).toMatchObject({ rates: { throughput: 1 } });

    expect(previewBoard(fixed, standing).rows.map(({ name }) => name)).toEqual(['right', 'mean', 'quick']);
    const dear = previewBoard(fixed, { ...standing, rates: { throughput: 100 } });
    expect(dear.rows.map(({ name }) => name)).toEqual(['mean', 'quick', 'right']);
    // accuracy 80 at weight 4, and 100 points for each of log2(50 / 30) doublings at weight 1
    expect(dear.rows[0]!.dynascore).toBeCloseTo(80 + (100 * Math.log2(5 / 3)) / 4, 10);
  });

  it('gives a model below the baseline its score and no rank', () => {
    const exchange = { kind: 'fixed', rates: { throughput: 1 }, references: { throughput: 30 } } as const;
    const baselines = { rows: [[0.6, 0.6]], clean: new Uint8Array(6) };
    const matrix = { ...file.matrix, exchange, amrs: null, errors: [new Float64Array(6), null], baselines };
    const gated = { ...file, matrix } as unknown as MatrixFile;

    const { rows } = previewBoard(gated, standingWeighing(gated));
    expect(rows.map(({ name, after }) => [name, after])).toEqual([
      ['right', 1],
      ['mean', 2],
      ['quick', null],
    ]);
    expect(rows[2]!.dynascore).toBeCloseTo(50 + Math.log2(3) / 4, 10);
  });

  it('has no exchange rates where the published formula takes them from the models', () => {
    const amrs = {
      ...file,
      matrix: { ...file.matrix, exchange: { kind: 'amrs' }, amrs: null },
    } as unknown as MatrixFile;
    expect(standingWeighing(amrs).rates).toEqual({});
    expect(previewBoard(amrs, standingWeighing(amrs)).moved).toBe(0);
  });

  it('refuses weights that are all 0', () => {
    expect(() => previewBoard(file, { ...standingWeighing(file), weights: {} })).toThrow();
  });
});
