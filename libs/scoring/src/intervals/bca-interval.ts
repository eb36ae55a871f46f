import { bareEstimate, type Estimate, type NoIntervalReason } from '../estimate.js';
import type { Unit } from '../metric.js';
import { FEWEST_CLUSTERS } from './bell-mccaffrey.js';
import type { Jackknife } from './jackknife.js';
import { normalPoint, normalShare } from './normal.js';
import { definedOf, deviation, quantile } from './sorted-values.js';
import { studentT95 } from './student-t.js';
import { constantBounds, impliedError, wilsonWithin, type Bounds, type Range } from './wilson.js';

/** The fewest effective examples for which a bootstrap interval is given. */
export const FEWEST_EFFECTIVE = 30;

/** The properties of a metric that its interval depends on. */
export interface IntervalRules {
  readonly range: Range;
  readonly unit: Unit;
  /** True for an unweighted mean over labels. */
  readonly perLabel?: true;
  /** True where the wider of the two intervals of `bootstrapEstimate` is too wide. */
  readonly narrowed?: true;
}

/** The examples of a statistic, as far as its interval depends on them. */
export interface Sample {
  readonly value: number;
  readonly examples: number;
  /** Number of independent units: clusters, or examples without clusters. */
  readonly units: number;
  readonly isClustered: boolean;
  /** Degrees of freedom of a mean over the units. */
  readonly freedom: number;
  /** The number of examples per gold label, for a mean over labels. */
  readonly support?: ArrayLike<number> | undefined;
  readonly jackknife: Jackknife;
}

/** Returns why a statistic has no interval, or null if it has one. */
export function noInterval(sample: Sample, metric: IntervalRules): NoIntervalReason | null {
  if (sample.isClustered && sample.units < FEWEST_CLUSTERS) return 'too few clusters';
  if (!sample.jackknife.isDefined || effectiveExamples(sample, metric) < FEWEST_EFFECTIVE) return 'too few examples';
  return null;
}

/**
 * Returns how many examples a statistic effectively has, never more than there are:
 *
 * - in a bounded range: as many as give a proportion p the same standard error, p(1 − p) / SE², with
 *   the value scaled to [0, 1] and the jackknife's SE
 * - without bounds: the number of independent units
 * - a mean over K labels with n_k examples each: K² / Σ 1/n_k, because rare labels weigh as much as
 *   frequent ones. The standard error decides only where it shows the effect of clusters: it is too
 *   small by chance for the samples in which a rare label is always right
 */
function effectiveExamples(sample: Sample, metric: IntervalRules): number {
  if (!metric.perLabel || !sample.support) return sizeByError(sample, metric);
  const balanced = balancedSize(sample.support);
  return sample.isClustered ? Math.min(balanced, sizeByError(sample, metric)) : balanced;
}

function sizeByError({ value, examples, units, jackknife }: Sample, { range }: IntervalRules): number {
  const width = range[1] - range[0];
  const p = (value - range[0]) / width;
  const error = jackknife.standardError / width;
  // before the jackknife, only the limit is known
  if (Number.isFinite(width) && Number.isNaN(error)) return examples;
  const isKnown = Number.isFinite(width) && error > 0 && p > 0 && p < 1;
  return isKnown ? Math.min(examples, (p * (1 - p)) / (error * error)) : units;
}

/** Returns K² / Σ 1/n_k over the labels that occur. */
function balancedSize(support: ArrayLike<number>): number {
  let labels = 0;
  let reciprocals = 0;
  for (let label = 0; label < support.length; label++) {
    if (support[label] === 0) continue;
    labels++;
    reciprocals += 1 / support[label]!;
  }
  return (labels * labels) / reciprocals;
}

/** How far the ends of a `narrowed` metric lie from those of the wider interval to those of the narrower one. */
const NARROWED = 0.75;

/**
 * Returns a statistic with an interval from two others:
 *
 * - the BCa bootstrap (Efron 1987) of its resampled `values`, with levels that are expanded by the t
 *   distribution for few clusters (Hesterberg 2015)
 * - from the jackknife's standard error: Wilson's interval in a bounded range, the t interval of the
 *   logarithm for a value that is at least 0 without an upper bound
 *
 * On each side it takes the wider one, so that it has a width even where no resample differs. The
 * wider one of macro F1 and balanced accuracy contains the true value in up to 98.8% of the samples,
 * the narrower one in as few as 92.8%; they take an end between the two.
 *
 * If the statistic is undefined in more than a tenth of the resamples, there are too few examples.
 */
export function bootstrapEstimate(sample: Sample, values: Float64Array, metric: IntervalRules): Estimate {
  const { value, examples, freedom, jackknife } = sample;
  const defined = definedOf(values);
  if (defined.length < 0.9 * values.length) return bareEstimate(value, 'too few examples');

  const half = studentT95(freedom) * jackknife.standardError;
  const smooth = half === 0 ? unvaried(sample, metric) : smoothInterval(value, half, examples, metric.range);
  if (half === 0 && smooth === null) return bareEstimate(value, 'no variation');

  const drawn = bcaInterval(sample, defined);
  const [least, most] = metric.range;
  const part = metric.narrowed && half > 0 ? NARROWED : 0;
  const { low: bottom, high: top } = joined(drawn, smooth ?? drawn, part);
  const low = Math.max(least, Math.min(value, bottom));
  const high = Math.min(most, Math.max(value, top));
  return { value, low, high, standardError: half === 0 ? impliedError({ low, high }) : deviation(defined) };
}

/** Returns the wider interval on each side, moved by `part` of the way to the narrower one. */
function joined(one: Bounds, other: Bounds, part: number): Bounds {
  const [low, innerLow] = one.low < other.low ? [one.low, other.low] : [other.low, one.low];
  const [innerHigh, high] = one.high < other.high ? [one.high, other.high] : [other.high, one.high];
  return { low: low + part * (innerLow - low), high: high - part * (high - innerHigh) };
}

/** Returns Wilson's interval of a value that no single unit changes; null without a bounded range. */
function unvaried(sample: Sample, metric: IntervalRules): Bounds | null {
  const size = Math.min(sample.units, effectiveExamples(sample, metric));
  const { range, unit } = metric;
  if (Number.isFinite(range[1] - range[0])) return constantBounds(sample.value, size, range);
  // an error rate above 1 is possible, but a rate of 0 is no sign of it
  return unit === 'ratio' && sample.value === 0 ? constantBounds(0, size, [0, 1]) : null;
}

function smoothInterval(value: number, half: number, examples: number, range: Range): Bounds | null {
  if (Number.isFinite(range[1] - range[0])) return wilsonWithin(value, half, examples, range);
  if (range[0] !== 0 || value <= 0) return null;
  const factor = Math.exp(half / value);
  return { low: value / factor, high: value * factor };
}

function bcaInterval({ value, units, freedom, jackknife }: Sample, sorted: Float64Array): Bounds {
  const rounding = 1e-12 * Math.max(1, Math.abs(value));
  let below = 0;
  for (const drawn of sorted) below += drawn < value - rounding ? 1 : drawn <= value + rounding ? 0.5 : 0;
  const ends = 1 / sorted.length;
  const bias = normalPoint(Math.min(1 - ends, Math.max(ends, below / sorted.length)));
  const point = studentT95(freedom) * Math.sqrt(units / (units - 1));
  const shareAt = (z: number): number => {
    const stretch = 1 - jackknife.acceleration * (bias + z);
    if (stretch <= 0) return z < 0 ? 0 : 1;
    return normalShare(bias + (bias + z) / stretch);
  };
  return { low: quantile(sorted, shareAt(-point)), high: quantile(sorted, shareAt(point)) };
}
