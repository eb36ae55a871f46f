/**
 * The number of samples that each percentile needs. For p90, p95 and p99 it is the smallest number with which
 * MLPerf LoadGen stops early.
 */
export const MINIMUM_SAMPLES = { 50: 64, 90: 64, 95: 130, 99: 662 } as const;

export type LatencyPercentile = keyof typeof MINIMUM_SAMPLES;

/** The probability that the estimate lies below the true percentile. LoadGen: 99% confidence. */
const ABOVE_ERROR = 0.01;
/** The probability that the lower end of the interval lies above the true percentile: 95% in all. */
const BELOW_ERROR = 0.04;

/** An estimate of a percentile, in the unit of the samples. */
export interface PercentileEstimate {
  /** The lower end of the 95% interval. Its upper end is the estimate. */
  readonly low: number;
  readonly value: number;
}

/**
 * Latencies in the unit of the samples; a percentile is null if there are too few samples for it.
 */
export interface LatencyPercentiles {
  readonly count: number;
  readonly p50: PercentileEstimate | null;
  readonly p90: PercentileEstimate | null;
  readonly p95: PercentileEstimate | null;
  readonly p99: PercentileEstimate | null;
  /** All samples, fastest first; empty if there are too few for any percentile. */
  readonly bins: readonly LatencyBin[];
}

/** The samples in [low, high). */
export interface LatencyBin {
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** Bins per doubling of the latency; each bin is 19% wide. */
const BINS_PER_OCTAVE = 4;

/**
 * Estimates the p-th percentile of ascending samples; null for fewer than `MINIMUM_SAMPLES[p]`. The
 * estimate is that of MLPerf LoadGen's early stopping: the t-th largest sample, for the largest t so that at
 * most t of the samples lie above the true percentile with a probability of at most 1%. The true percentile
 * is therefore lower with 99% confidence, whatever the distribution. The plain percentile of the samples would
 * be too low about half of the time.
 */
export function percentile(sorted: ArrayLike<number>, p: LatencyPercentile): PercentileEstimate | null {
  const { length } = sorted;
  if (length < MINIMUM_SAMPLES[p]) return null;
  const above = mostSuccesses(length, 1 - p / 100, ABOVE_ERROR);
  const below = mostSuccesses(length, p / 100, BELOW_ERROR);
  return { low: sorted[below]!, value: sorted[length - above]! };
}

/** Returns the largest k for which P(X ≤ k) ≤ `error`, where X is binomial; -1 if there is none. */
function mostSuccesses(trials: number, probability: number, error: number): number {
  const odds = probability / (1 - probability);
  // in logarithms: the first terms of many trials are too small for a number
  let logTerm = trials * Math.log1p(-probability);
  let sum = 0;
  for (let successes = 0; successes < trials; successes++) {
    sum += Math.exp(logTerm);
    if (sum > error) return successes - 1;
    logTerm += Math.log(((trials - successes) / (successes + 1)) * odds);
  }
  return trials - 1;
}

/** Returns all percentiles of samples in any order. */
export function latencyPercentiles(samples: ArrayLike<number>): LatencyPercentiles {
  const sorted = Float64Array.from(samples).sort();
  return {
    count: sorted.length,
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    bins: sorted.length < MINIMUM_SAMPLES[50] ? [] : latencyBins(sorted),
  };
}

/**
 * Returns the non-empty bins of samples above 0, on a logarithmic scale. The edges do not depend on
 * the samples.
 */
function latencyBins(samples: Float64Array): LatencyBin[] {
  const bins = Map.groupBy(samples, (sample) =>
    Math.floor(Math.log2(Math.max(sample, Number.MIN_VALUE)) * BINS_PER_OCTAVE),
  );
  return Array.from(bins, ([place, { length }]) => ({ low: edge(place), high: edge(place + 1), n: length }));
}

const edge = (place: number): number => Number((2 ** (place / BINS_PER_OCTAVE)).toPrecision(6));

/** Merges the bins of several measurements. */
export function joinedBins(all: readonly (readonly LatencyBin[])[]): LatencyBin[] {
  const joined = new Map<number, LatencyBin>();
  for (const bin of all.flat()) joined.set(bin.low, { ...bin, n: bin.n + (joined.get(bin.low)?.n ?? 0) });
  return [...joined.values()].toSorted((one, other) => one.low - other.low);
}
