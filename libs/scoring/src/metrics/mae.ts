import type { ExampleMetric } from '../metric.js';

/**
 * Mean absolute error, in the unit of the numbers. A tolerated bad answer makes it undefined (NaN),
 * because no number is the worst possible one.
 */
export const mae: ExampleMetric = {
  name: 'mae',
  version: 1,
  direction: 'lower',
  range: [0, Infinity],
  unit: 'value',
  outputTypes: ['number'],
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted) => (predicted === null ? NaN : Math.abs(Number(predicted) - Number(gold[0]))),
};
