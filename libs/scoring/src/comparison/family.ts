import type { Estimate } from '../estimate.js';
import { holm } from './holm.js';

/** The significance level of a family of comparisons. */
const SIGNIFICANT = 0.05;

/** A difference with its 95% interval; the bounds are null if there is none. */
export type TestedEstimate = Omit<Estimate, 'standardError'> & { readonly standardError?: number | null };

/** One difference of a family, with its 95% interval and its two-sided p-value. */
export interface TestedDifference {
  readonly difference: TestedEstimate;
  /** Null if there was no test. */
  readonly p: number | null;
}

export interface FamilyVerdict {
  /** The p-value adjusted by Holm's procedure over the family; null if there was no test. */
  readonly holm: number | null;
  /** The model with the greater value; null if the difference is not significant. */
  readonly greater: 'a' | 'b' | null;
}

/**
 * Returns the verdict on each difference of a family, in the given order. A difference is
 * significant if its adjusted p-value (Holm 1979) is below 5% and its own 95% interval excludes 0.
 * If nothing differs, the chance of any significant difference is at most 5%.
 */
export function familyVerdicts(family: readonly TestedDifference[]): readonly FamilyVerdict[] {
  const adjusted = holm(family.flatMap(({ p }) => p ?? []));
  let next = 0;
  return family.map(({ difference, p }) => {
    if (p === null) return { holm: null, greater: null };
    const corrected = adjusted[next++]!;
    return { holm: corrected, greater: corrected < SIGNIFICANT ? greaterOf(difference) : null };
  });
}

/** Returns the model with the greater value; null if the interval contains 0, or is unknown. */
export function greaterOf({ low, high }: TestedEstimate): 'a' | 'b' | null {
  if (low !== null && low > 0) return 'a';
  return high !== null && high < 0 ? 'b' : null;
}
