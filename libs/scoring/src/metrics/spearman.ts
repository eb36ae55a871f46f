import { defineMetric } from '../metric.js';
import { columnOf, correlation, readPair } from './correlation.js';
import { sortedColumn } from './sorted-column.js';

/**
 * Spearman's correlation: Pearson's correlation of the ranks, where equal numbers share their mean
 * rank. Undefined (NaN) if either side is constant. A tolerated bad answer also makes it undefined,
 * because no number is wrong for certain.
 */
export const spearman = defineMetric({
  name: 'spearman',
  version: 1,
  label: 'Spearman',
  description: 'The rank correlation of predicted and correct numbers. 100% is the same order, 0 is none.',
  unit: 'ratio',
  direction: 'higher',
  range: [-1, 1],
  outputs: ['number'],
  formula: ['Pearson’s correlation of the ranks'],
  hub: { type: 'spearmanr' },
  kind: 'columns',
  width: () => 2,
  read: readPair,
  prepare: (columns, n) => {
    if (columns.some(Number.isNaN)) return () => NaN;

    const goldRanks = rankerOf(columnOf(columns, n, 0));
    const answerRanks = rankerOf(columnOf(columns, n, 1));
    return (times) => correlation(goldRanks(times), answerRanks(times), times);
  },
});

/**
 * Prepares the ranks of a column's entries. The returned function takes how often each entry
 * counts. It reuses its array, so that nothing is allocated per resample.
 */
function rankerOf(column: Float64Array): (times: ArrayLike<number>) => Float64Array {
  const { order, endsTie } = sortedColumn(column);
  const ranks = new Float64Array(column.length);

  return (times) => {
    let below = 0;
    let tied = 0;
    let first = 0;
    for (let at = 0; at < order.length; at++) {
      tied += times[order[at]!]!;
      if (endsTie[at] === 0) continue;
      for (; first <= at; first++) ranks[order[first]!] = below + (tied + 1) / 2;
      below += tied;
      tied = 0;
    }
    return ranks;
  };
}
