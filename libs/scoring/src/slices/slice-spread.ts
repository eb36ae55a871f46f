import type { Estimate } from '../estimate.js';

/** A slice's value with its interval. */
export interface SliceEstimate extends Estimate {
  readonly slice: string;
}

/** What a metric has on the slices of one field; the intervals hold for all of its slices at once. */
export interface SliceSpread {
  /** Of the slices of at least 30 examples. */
  readonly worst: SliceEstimate;
  readonly best: SliceEstimate;
  /** Best minus worst; where less is better, worst minus best. */
  readonly gap: Estimate;
  /** The gap that slices of these sizes have by chance: its mean, and what it exceeds in 5 percent. */
  readonly chance: { readonly mean: number; readonly high: number };
  /** Slices that were compared. */
  readonly slices: number;
  /** Where slices are matched: the groups that hold every slice, and what each slice has in them. */
  readonly matched?: {
    readonly groups: number;
    readonly values: Readonly<Record<string, { readonly n: number; readonly value: number }>>;
  };
  /** Slices that differ from the rest of the examples, by Benjamini and Hochberg's procedure at 5 percent. */
  readonly standingOut: string[];
}
