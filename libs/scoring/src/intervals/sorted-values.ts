import { total } from '../label-counts.js';

/** Returns the values that are not NaN, in ascending order. */
export const definedOf = (values: Float64Array): Float64Array => values.filter((each) => !Number.isNaN(each)).sort();

/** Returns a quantile of ascending values, linear between neighbours (R's type 7). */
export function quantile(sorted: Float64Array, probability: number): number {
  const place = probability * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

/** Returns the standard deviation (n − 1) of at least two values. */
export function deviation(values: ArrayLike<number>): number {
  const average = total(values) / values.length;
  let squares = 0;
  for (let index = 0; index < values.length; index++) squares += (values[index]! - average) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
