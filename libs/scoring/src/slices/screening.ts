import { twoSidedNormal } from '../intervals/normal.js';

/** The value of a slice, with the values that slices of its size have by chance. */
export interface ScreenedSlice {
  readonly name: string;
  readonly value: number;
  /** Mean and standard deviation of the value under permuted membership. */
  readonly chanceMean: number;
  readonly chanceDeviation: number;
  /** Standard error of the value minus the value of all examples, from draws of whole clusters. */
  readonly clusteredError: number;
}

/**
 * Returns the names of the slices that differ from the rest of the examples: those whose two-sided
 * normal tails survive the Benjamini–Hochberg procedure (1995) at 5%. A slice that differs from all
 * examples also differs from the rest. The error is the larger of the permutation error and the
 * clustered error, because clusters that are alike by chance give no more information than
 * independent examples.
 */
export function standingOut(slices: readonly ScreenedSlice[]): string[] {
  const tails = slices.map(({ value, chanceMean, chanceDeviation, clusteredError }) => {
    const difference = Math.abs(value - chanceMean);
    const error = Math.max(chanceDeviation, clusteredError);
    return error > 0 ? twoSidedNormal(difference / error) : 1;
  });
  const found = falseDiscoveries(tails, 0.05);
  return slices.filter((_, index) => found[index]).map(({ name }) => name);
}

/**
 * Returns which of the p-values the Benjamini–Hochberg procedure (1995) rejects. Among the rejected
 * ones, at most the share `rate` is expected to be rejected wrongly.
 */
export function falseDiscoveries(tails: readonly number[], rate: number): readonly boolean[] {
  const ascending = tails.toSorted((one, other) => one - other);
  const last = ascending.findLastIndex((tail, index) => tail <= ((index + 1) / tails.length) * rate);
  return tails.map((tail) => last >= 0 && tail <= ascending[last]!);
}
