import type { Estimate } from '../estimate.js';

/** The value of a slice with its interval. */
export interface SliceEstimate extends Estimate {
  readonly slice: string;
}

/**
 * The spread of a metric over the slices of one field. The intervals hold for all slices at once.
 */
export interface SliceSpread {
  /** The worst of the slices with at least 30 examples. */
  readonly worst: SliceEstimate;
  readonly best: SliceEstimate;
  /** Best minus worst; worst minus best if lower is better. */
  readonly gap: Estimate;
  /** Mean and 95% quantile of the gap that slices of these sizes have by chance. */
  readonly chance: { readonly mean: number; readonly high: number };
  /** Number of slices that were compared. */
  readonly slices: number;
  /**
   * Only if slices are matched: the number of groups that contain every slice equally often, and
   * the size and value of each slice within them.
   */
  readonly matched?: {
    readonly groups: number;
    readonly values: Readonly<Record<string, { readonly n: number; readonly value: number }>>;
  };
  /**
   * Slices that differ from the rest of the examples, by the Benjamini–Hochberg procedure at 5%.
   */
  readonly standingOut: string[];
}
