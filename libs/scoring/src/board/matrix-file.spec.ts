import { expect, it } from '@jest/globals';
import { aggregateInterval } from './aggregation.js';
import { decodeMatrix, encodeMatrix, type MatrixFile } from './matrix-file.js';

const metric = { unit: 'value', direction: 'lower', isScore: true } as const;

const FILE: MatrixFile = {
  ...{ task: 'grades', benchmarkVersion: 1, revision: 1, publishedAt: '2026-11-01T00:00:00Z' },
  ...{ names: ['a'], owners: ['ada'], kinds: ['container'], sizes: [1], acceptedAt: [null], clean: Uint8Array.of(1) },
  matrix: {
    ...{ ids: ['1'], performance: 'mae', datasets: [], weights: { mae: 1 }, amrs: null, spreads: {} },
    aggregate: { ownRounds: 'count' } as MatrixFile['matrix']['aggregate'],
    metrics: [
      { ...metric, name: 'mae', range: [0, Infinity] },
      { ...metric, name: 'pearson', range: [-1, 1] },
      { ...metric, name: 'memory' },
    ],
    ...{ values: [], errors: null, own: new Uint8Array(), isUndefined: new Uint8Array() },
  },
};

it('keeps the range of a metric that has no upper bound, so that an interval is not cut at 0', () => {
  const values = FILE.matrix.metrics.map(() => new Float64Array(0));
  const file = { ...FILE, clean: new Uint8Array(), matrix: { ...FILE.matrix, values } };
  const { metrics } = decodeMatrix(encodeMatrix(file)).matrix;
  expect(metrics.map(({ range }) => range)).toEqual([[0, Infinity], [-1, 1], undefined]);
  const { low, high } = aggregateInterval(6.8, 0.015, metrics[0]!.range)!;
  expect([low, high].map((end) => end.toFixed(2))).toEqual(['6.77', '6.83']);
});
