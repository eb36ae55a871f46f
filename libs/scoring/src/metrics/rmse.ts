import type { SumsMetric } from '../metric.js';

/**
 * Root mean squared error, in the unit of the numbers. A tolerated bad answer makes it undefined
 * (NaN), because no number is the worst possible one.
 */
export const rmse: SumsMetric = {
  name: 'rmse',
  version: 1,
  direction: 'lower',
  range: [0, Infinity],
  unit: 'value',
  outputTypes: ['number'],
  kind: 'sums',
  // number of examples, sum of squared errors
  width: () => 2,
  contribute: ({ gold, predicted }, into, offset) => {
    into[offset] = 1;
    into[offset + 1] = predicted === null ? NaN : (Number(predicted) - Number(gold[0])) ** 2;
  },
  fromSums: (sums) => Math.sqrt(sums[1]! / sums[0]!),
};
