/** A value with its 95% interval. `null` where the data cannot say (fewer than two clusters, or a single figure). */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Standard error of `value`, in its unit; what aggregates are made of. */
  readonly standardError: number | null;
}

/** Which examples are not independent of each other: `of[i]` in [0, count) is the cluster of example i. */
export interface Clusters {
  readonly of: Int32Array;
  readonly count: number;
}

/** Two-sided 95% point of the normal distribution. */
export const Z95 = 1.959963984540054;

/** A figure without an interval. */
export const bareEstimate = (value: number): Estimate => ({ value, low: null, high: null, standardError: null });
