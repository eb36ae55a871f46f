import type { ColumnsMetric } from '../metric.js';
import { columnOf, correlation, readPair } from './correlation.js';

/**
 * Spearman's correlation: Pearson's of the ranks, of equal numbers their mean rank. Undefined (NaN) where either is constant, and with a
 * tolerated bad answer: there is no number that would be wrong for certain.
 */
export const spearman: ColumnsMetric = {
  name: 'spearman',
  version: 1,
  direction: 'higher',
  range: [-1, 1],
  unit: 'ratio',
  outputTypes: ['number'],
  kind: 'columns',
  width: () => 2,
  read: readPair,
  prepare: (columns, n) => {
    if (columns.some(Number.isNaN)) return () => NaN;

    const goldRanks = rankerOf(columnOf(columns, n, 0));
    const answerRanks = rankerOf(columnOf(columns, n, 1));
    return (times) => correlation(goldRanks(times), answerRanks(times), times);
  },
};

/** Ranks of a column's entries, each counted so many times. It gives one array again and again: nothing is allocated per resample. */
function rankerOf(column: Float64Array): (times: ArrayLike<number>) => Float64Array {
  const order = Uint32Array.from(column, (_, index) => index).sort((a, b) => column[a]! - column[b]!);
  const ranks = new Float64Array(column.length);

  return (times) => {
    let below = 0;
    for (let start = 0; start < order.length;) {
      const value = column[order[start]!]!;
      let end = start;
      let tied = 0;
      for (; end < order.length && column[order[end]!] === value; end++) tied += times[order[end]!]!;
      for (let at = start; at < end; at++) ranks[order[at]!] = below + (tied + 1) / 2;
      below += tied;
      start = end;
    }
    return ranks;
  };
}
