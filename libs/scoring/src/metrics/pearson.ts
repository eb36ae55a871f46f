import { defineMetric } from '../metric.js';
import { columnOf, correlation, readPair } from './correlation.js';

/**
 * Pearson's correlation of gold and answers. Undefined (NaN) if either is constant. A tolerated bad
 * answer also makes it undefined, because no number is wrong for certain.
 */
export const pearson = defineMetric({
  name: 'pearson',
  version: 1,
  label: 'Pearson',
  description: 'The linear correlation of predicted and correct numbers. 100% is perfect, 0 is none.',
  unit: 'ratio',
  direction: 'higher',
  range: [-1, 1],
  outputs: ['number'],
  formula: ['covariance ÷ (standard deviation of the predicted numbers · standard deviation of the correct numbers)'],
  hub: { type: 'pearsonr' },
  kind: 'columns',
  width: () => 2,
  read: readPair,
  prepare: (columns, n) => {
    const gold = columnOf(columns, n, 0);
    const answers = columnOf(columns, n, 1);
    return (times) => correlation(gold, answers, times);
  },
});
