import { Z95 } from '../estimate.js';
import { deviation, quantile } from '../intervals/bootstrap.js';
import type { Work } from '../resampling/work.js';

/**
 * The maximum number of slices that are compared in pairs, because the number of pairs grows with
 * the square.
 */
const MAXIMUM_PAIRED = 200;

/** Values with their resamples, from the same draws for all values. */
export interface ResampledSlices {
  readonly values: Float64Array;
  readonly resamples: readonly Float64Array[];
}

/**
 * The standard error of each value, and the half width of its interval in standard errors (`point`)
 * with which all intervals hold at once with 95% confidence.
 */
export interface Simultaneous {
  readonly errors: Float64Array;
  readonly point: number;
}

/**
 * Returns the max-|T| bootstrap (Romano & Wolf 2005). With T_b = max_v |θ*_vb − θ_v| / SE_v and
 * SE_v the standard deviation of θ*_v, all intervals θ_v ± q₉₅(T) SE_v hold at once. Values without
 * spread are left out, and so are undefined resamples.
 */
export function simultaneous({ values, resamples }: ResampledSlices): Simultaneous {
  const errors = Float64Array.from(resamples, spread);
  const largest = new Float64Array(resamples[0]?.length ?? 0);
  for (const [index, drawn] of resamples.entries()) {
    if (errors[index]! > 0) raise(largest, (draw) => Math.abs(drawn[draw]! - values[index]!) / errors[index]!);
  }
  return { errors, point: pointOf(largest) };
}

/**
 * Returns the same for the difference of two of the values, such that the differences of all pairs
 * hold at once. Null for more than 200 values.
 */
export function* simultaneousDifference(
  { values, resamples }: ResampledSlices,
  one: number,
  other: number,
): Work<{ readonly error: number; readonly point: number } | null> {
  if (values.length > MAXIMUM_PAIRED) return null;

  const largest = new Float64Array(resamples[0]?.length ?? 0);
  const differences = new Float64Array(largest.length);
  let chosen = NaN;
  for (let first = 0; first < values.length; first++) {
    for (let second = 0; second < first; second++) {
      const difference = values[first]! - values[second]!;
      for (let draw = 0; draw < largest.length; draw++) {
        differences[draw] = resamples[first]![draw]! - resamples[second]![draw]!;
      }
      const error = spread(differences);
      if (Math.min(one, other) === second && Math.max(one, other) === first) chosen = error;
      if (error > 0) raise(largest, (draw) => Math.abs(differences[draw]! - difference) / error);
    }
    yield;
  }
  return { error: chosen, point: pointOf(largest) };
}

/** Returns the standard deviation of the defined values; NaN for fewer than two. */
export function spread(values: Float64Array): number {
  const defined = values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  return deviation(defined);
}

function raise(largest: Float64Array, statistic: (draw: number) => number): void {
  for (let draw = 0; draw < largest.length; draw++) {
    const value = statistic(draw);
    if (value > largest[draw]!) largest[draw] = value;
  }
}

/**
 * Returns the 95% quantile, but at least the point for a single value: if few values have a spread,
 * the draws give no more information.
 */
const pointOf = (largest: Float64Array): number => Math.max(Z95, quantile(largest.sort(), 0.95));
