import { twoSidedNormal } from '../intervals/normal.js';

/** A slice's value beside what slices of its size have by chance. */
export interface ScreenedSlice {
  readonly name: string;
  readonly value: number;
  /** Mean and standard deviation of the value when membership is permuted. */
  readonly chanceMean: number;
  readonly chanceDeviation: number;
  /** Standard error of the value minus that of all examples, from draws of whole clusters. */
  readonly clusteredError: number;
}

/**
 * Names of the slices that differ from the rest of the examples: those whose two-sided normal tails survive Benjamini and Hochberg's procedure at
 * 5 percent (1995). A slice that differs from all examples differs from the rest. The error is the larger of that by chance and that of whole
 * clusters: clusters that happen to be alike do not make the examples more than independent.
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

/** Benjamini and Hochberg (1995): of the p-values, which are rejected such that at most the share `rate` of them is expected to be so wrongly. */
export function falseDiscoveries(tails: readonly number[], rate: number): readonly boolean[] {
  const ascending = tails.toSorted((one, other) => one - other);
  const last = ascending.findLastIndex((tail, index) => tail <= ((index + 1) / tails.length) * rate);
  return tails.map((tail) => last >= 0 && tail <= ascending[last]!);
}
