import { bareEstimate, Z95, type Estimate } from '../estimate.js';
import { FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { wilson } from '../intervals/wilson.js';
import type { Metric } from '../metric.js';
import { simultaneous, simultaneousDifference, spread, type ResampledSlices } from './simultaneous.js';
import type { Work } from '../resampling/work.js';

/**
 * Returns the values of slices with intervals that hold for all of them at once.
 *
 * @param clusters per slice, the number of its clusters
 */
export function sliceIntervals(sliced: ResampledSlices, clusters: readonly number[], metric: Metric): Estimate[] {
  const { errors, point } = simultaneous(sliced);
  const [least, most] = metric.range;
  const isProportion = metric.kind === 'mean' && metric.scores === 'binary';
  return Array.from(sliced.values, (value, slice): Estimate => {
    const count = clusters[slice]!;
    if (count < FEWEST_CLUSTERS) return bareEstimate(value, 'too few clusters');
    if (isProportion && (value === 0 || value === 1)) return edge(value, count, clusters.length);
    const standardError = errors[slice]!;
    if (!Number.isFinite(standardError)) return bareEstimate(value);

    const half = point * standardError;
    return { value, low: Math.max(least, value - half), high: Math.min(most, value + half), standardError };
  });
}

/**
 * Returns the interval of a slice that is completely right or wrong and therefore has no spread in
 * any resample. The bounds are exact for as many independent examples as the slice has clusters
 * (Clopper & Pearson 1934), with the Bonferroni correction for the number of slices. The standard
 * error is derived from Wilson's interval, as for a single slice.
 */
function edge(value: number, clusters: number, slices: number): Estimate {
  const reach = 1 - (0.025 / slices) ** (1 / clusters);
  const alone = wilson(value, clusters);
  const standardError = (alone.high - alone.low) / (2 * Z95);
  return value === 0
    ? { value, low: 0, high: reach, standardError }
    : { value, low: 1 - reach, high: 1, standardError };
}

/**
 * Returns the gap between the slices `best` and `worst`, with an interval that holds for the
 * differences of all pairs at once. For more than 200 slices, or if one of the two has no spread,
 * the interval is the wider one that the intervals of the slices allow.
 */
export function* gapInterval(
  sliced: ResampledSlices,
  intervals: readonly Estimate[],
  pair: { readonly best: number; readonly worst: number },
  range: readonly [low: number, high: number],
): Work<Estimate> {
  const value = Math.abs(sliced.values[pair.best]! - sliced.values[pair.worst]!);
  const [best, worst] = [intervals[pair.best]!, intervals[pair.worst]!];
  if (best.low === null || worst.low === null) return bareEstimate(value);

  const widest = range[1] - range[0];
  const bothSpread = [pair.best, pair.worst].every((slice) => spread(sliced.resamples[slice]!) > 0);
  const paired = bothSpread ? yield* simultaneousDifference(sliced, pair.best, pair.worst) : null;
  if (paired && paired.error > 0) {
    const half = paired.point * paired.error;
    const [low, high] = [Math.max(0, value - half), Math.min(widest, value + half)];
    return { value, low, high, standardError: paired.error };
  }
  const known = intervals.filter((each) => each.low !== null);
  const lows = known.map((each) => each.low!);
  const highs = known.map((each) => each.high!);
  return {
    value,
    low: Math.max(0, Math.max(...lows) - Math.min(...highs)),
    high: Math.min(widest, Math.max(...highs) - Math.min(...lows)),
    standardError: Math.hypot(best.standardError ?? NaN, worst.standardError ?? NaN),
  };
}
