import { Z95 } from '../estimate.js';
import { DETECTABLE } from '../comparison/compare-paired.js';
import { normalPoint } from '../intervals/normal.js';
import { studentT95 } from '../intervals/student-t.js';
import type { PairedSpread } from './paired-spread.js';

/** A number of examples with its 95% interval; the bounds are null if they are unknown. */
export interface NeededExamples {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** The fewest examples that are recommended: the normal approximation does not hold for fewer. */
export const FEWEST_PLANNED = 30;

const SIGNIFICANT = 0.05;

/**
 * Returns the number of standard errors that a true difference must be away from 0 to be found with
 * 80% power, if `pairs` differences are tested together at a family-wise error of 5% (Bonferroni, the
 * first step of Holm's procedure): z(1 − 0.05 / (2 · pairs)) + 0.84. For one pair it is 2.80.
 */
export const detectableErrors = (pairs: number): number =>
  DETECTABLE - Z95 + (pairs > 1 ? normalPoint(1 - SIGNIFICANT / (2 * pairs)) : Z95);

/**
 * Returns the number of examples on which a true difference between two models is found with 80%
 * power, if the examples vary and cluster as those seen so far:
 *
 *     n = (2.80 · σ_d / Δ)² · deff = variance · (2.80 / Δ)²
 *
 * The interval covers the uncertainty of the variance, on a logarithmic scale.
 *
 * @param difference the true difference to detect, in the unit of the scores
 * @param pairs the number of differences that are tested together
 * @throws RangeError if `difference` is not positive
 */
export function neededExamples(
  { variance, relativeError, freedom }: PairedSpread,
  difference: number,
  pairs = 1,
): NeededExamples {
  if (!(difference > 0)) throw new RangeError('the difference to detect must be positive');
  const needed = variance * (detectableErrors(pairs) / difference) ** 2;
  const examples = (factor: number): number => Math.max(FEWEST_PLANNED, Math.ceil(needed * factor));
  if (relativeError === null) return { value: examples(1), low: null, high: null };
  const reach = Math.exp(studentT95(freedom) * relativeError);
  return { value: examples(1), low: examples(1 / reach), high: examples(reach) };
}
