import { defineMetric } from '../metric.js';

/**
 * Mean absolute error, in the unit of the numbers. A tolerated bad answer makes it undefined (NaN),
 * because no number is the worst possible one.
 */
export const mae = defineMetric({
  name: 'mae',
  version: 1,
  label: 'MAE',
  description: 'Mean absolute error: how far the predicted numbers are from the correct ones, on average.',
  unit: 'value',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['number'],
  formula: ['mean of |predicted − correct|, in the unit of the numbers'],
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted) => (predicted === null ? NaN : Math.abs(Number(predicted) - Number(gold[0]))),
});
