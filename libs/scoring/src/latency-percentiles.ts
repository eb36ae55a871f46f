/**
 * The number of samples that each percentile needs: MLPerf LoadGen's early stopping at 99%
 * confidence.
 */
export const MINIMUM_SAMPLES = { 50: 64, 90: 64, 95: 130, 99: 662 } as const;

export type LatencyPercentile = keyof typeof MINIMUM_SAMPLES;

/**
 * Latencies in the unit of the samples; a percentile is null if there are too few samples for it.
 */
export interface LatencyPercentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
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
 * Returns the p-th percentile (nearest rank) of ascending samples; null for fewer than
 * `MINIMUM_SAMPLES[p]`.
 */
export function percentile(sorted: ArrayLike<number>, p: LatencyPercentile): number | null {
  if (sorted.length < MINIMUM_SAMPLES[p]) return null;
  return sorted[Math.ceil((p * sorted.length) / 100) - 1]!;
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
