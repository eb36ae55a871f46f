/**
 * A value with its 95% interval. The bounds are null if the data does not support an interval
 * (fewer than two clusters, or a single figure).
 */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Standard error of `value`, in its unit. Aggregates are computed from it. */
  readonly standardError: number | null;
}

/** Groups of dependent examples: `of[i]` in [0, count) is the cluster of example i. */
export interface Clusters {
  readonly of: Int32Array;
  readonly count: number;
}

/** The two-sided 95% point of the standard normal distribution. */
export const Z95 = 1.959963984540054;

/** Returns a value without an interval. */
export const bareEstimate = (value: number): Estimate => ({ value, low: null, high: null, standardError: null });
