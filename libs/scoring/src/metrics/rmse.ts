import { defineMetric } from '../metric.js';

/**
 * Root mean squared error, in the unit of the numbers. A tolerated bad answer makes it undefined
 * (NaN), because no number is the worst possible one.
 */
export const rmse = defineMetric({
  name: 'rmse',
  version: 1,
  label: 'RMSE',
  description:
    'Root mean squared error: how far the predicted numbers are from the correct ones, where large errors count more.',
  unit: 'value',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['number'],
  formula: ['√ mean of (predicted − correct)², in the unit of the numbers'],
  kind: 'sums',
  // number of examples, sum of squared errors
  width: () => 2,
  contribute: ({ gold, predicted }, into, offset) => {
    into[offset] = 1;
    into[offset + 1] = predicted === null ? NaN : (Number(predicted) - Number(gold[0])) ** 2;
  },
  fromSums: (sums) => Math.sqrt(sums[1]! / sums[0]!),
});
