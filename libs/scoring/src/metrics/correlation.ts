import type { MetricExample } from '../metric.js';

/** Stores gold and answer of an example as two numbers; a tolerated bad answer is NaN. */
export function readPair({ gold, predicted }: MetricExample, into: Float64Array, offset: number): void {
  into[offset] = Number(gold[0]);
  into[offset + 1] = predicted === null ? NaN : Number(predicted);
}

/** Returns one of the two columns of `n` pairs that are stored row by row. */
export function columnOf(pairs: Float64Array, n: number, column: 0 | 1): Float64Array {
  const values = new Float64Array(n);
  for (let row = 0; row < n; row++) values[row] = pairs[2 * row + column]!;
  return values;
}

/**
 * Returns the product-moment correlation of `x` and `y`, with entry i counted `times[i]` times.
 * Uses two passes, because the one-pass textbook sums cancel if the mean is far from 0. NaN if
 * either column is constant or contains NaN.
 */
export function correlation(x: Float64Array, y: Float64Array, times: ArrayLike<number>): number {
  const xMean = weighedMean(x, times);
  const yMean = weighedMean(y, times);
  if (Number.isNaN(xMean) || Number.isNaN(yMean)) return NaN;

  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let index = 0; index < x.length; index++) {
    const dx = x[index]! - xMean;
    const dy = y[index]! - yMean;
    xx += times[index]! * dx * dx;
    yy += times[index]! * dy * dy;
    xy += times[index]! * dx * dy;
  }
  return Math.max(-1, Math.min(1, (xy / xx) * Math.sqrt(xx / yy)));
}

/**
 * Returns the weighted mean, or NaN if the column is constant, which rounding of the mean might
 * hide.
 */
function weighedMean(column: Float64Array, times: ArrayLike<number>): number {
  let sum = 0;
  let n = 0;
  let low = Infinity;
  let high = -Infinity;
  for (let index = 0; index < column.length; index++) {
    const count = times[index]!;
    if (count === 0) continue;
    const value = column[index]!;
    sum += count * value;
    n += count;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low < high ? sum / n : NaN;
}
