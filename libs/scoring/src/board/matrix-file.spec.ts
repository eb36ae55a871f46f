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

it('writes fixed exchange rates in format 3 and reads both formats', () => {
  const formatOf = (bytes: Uint8Array): string => /assay-matrix-\d/.exec(Buffer.from(bytes).toString('latin1'))![0];
  const empty = { ...FILE.matrix, metrics: [] };
  const exchange = { kind: 'fixed', rates: { memory: 2 }, references: { memory: 1 } } as const;
  const before = encodeMatrix({ ...FILE, clean: new Uint8Array(), matrix: empty });
  const after = encodeMatrix({ ...FILE, clean: new Uint8Array(), matrix: { ...empty, exchange } });
  expect([before, after].map(formatOf)).toEqual(['assay-matrix-2', 'assay-matrix-3']);
  expect(decodeMatrix(before).matrix).not.toHaveProperty('exchange');
  expect(decodeMatrix(after).matrix.exchange).toEqual(exchange);
  expect(decodeMatrix(after).matrix).not.toHaveProperty('rules');
  const ruled = encodeMatrix({ ...FILE, clean: new Uint8Array(), matrix: { ...empty, exchange, rules: 2 } });
  expect(decodeMatrix(ruled).matrix.rules).toBe(2);
});
