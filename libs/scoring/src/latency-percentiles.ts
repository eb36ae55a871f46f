/** Samples below which a percentile says nothing: MLPerf LoadGen's early stopping at 99% confidence. */
export const MINIMUM_SAMPLES = { 50: 64, 90: 64, 95: 130, 99: 662 } as const;

export type LatencyPercentile = keyof typeof MINIMUM_SAMPLES;

/** Latencies in the unit of the samples; null where there are too few samples for that percentile. */
export interface LatencyPercentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The p-th percentile (nearest rank) of ascending samples, or null with fewer than `MINIMUM_SAMPLES[p]`. */
export function percentile(sorted: ArrayLike<number>, p: LatencyPercentile): number | null {
  if (sorted.length < MINIMUM_SAMPLES[p]) return null;
  return sorted[Math.ceil((p * sorted.length) / 100) - 1]!;
}

/** All percentiles of samples in any order. */
export function latencyPercentiles(samples: ArrayLike<number>): LatencyPercentiles {
  const sorted = Float64Array.from(samples).sort();
  return {
    count: sorted.length,
    p50: percentile(sorted, 50),
    p90: percentile(sorted, 90),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
  };
}
