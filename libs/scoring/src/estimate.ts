/** The reasons why a value has no interval. */
export const NO_INTERVAL_REASONS = ['too few examples', 'too few clusters', 'no variation'] as const;
export type NoIntervalReason = (typeof NO_INTERVAL_REASONS)[number];

/**
 * A value with its 95% interval. The bounds are null if the data does not support an interval
 * (too few clusters or examples, or a single figure).
 */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Standard error of `value`, in its unit. Aggregates are computed from it. */
  readonly standardError: number | null;
  /** The reason why there is no interval, if it is known. */
  readonly why?: NoIntervalReason;
  /** The 95% range of the values that a perfectly calibrated model of this size would have. */
  readonly band?: Band;
}

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** A division of examples into groups: `of[i]` in [0, count) is the group of example i. */
export interface Partition {
  readonly of: Int32Array;
  readonly count: number;
}

/** Groups of dependent examples. */
export interface Clusters extends Partition {
  /**
   * Present if examples depend on each other in a second way, for example by annotator and by
   * context: the groups of the second way, and those of the examples that share both.
   */
  readonly crossed?: { readonly second: Partition; readonly both: Partition };
}

/** The two-sided 95% point of the standard normal distribution. */
export const Z95 = 1.959963984540054;

/** Returns a value without an interval. */
export const bareEstimate = (value: number, why?: NoIntervalReason): Estimate => ({
  ...{ value, low: null, high: null, standardError: null },
  ...(why && { why }),
});
