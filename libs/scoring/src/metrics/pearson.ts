import type { ColumnsMetric } from '../metric.js';
import { columnOf, correlation, readPair } from './correlation.js';

/**
 * Pearson's correlation of gold and answers. Undefined (NaN) if either is constant. A tolerated bad
 * answer also makes it undefined, because no number is wrong for certain.
 */
export const pearson: ColumnsMetric = {
  name: 'pearson',
  version: 1,
  direction: 'higher',
  range: [-1, 1],
  unit: 'ratio',
  outputTypes: ['number'],
  kind: 'columns',
  width: () => 2,
  read: readPair,
  prepare: (columns, n) => {
    const gold = columnOf(columns, n, 0);
    const answers = columnOf(columns, n, 1);
    return (times) => correlation(gold, answers, times);
  },
};
