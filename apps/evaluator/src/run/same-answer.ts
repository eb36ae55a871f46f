import type { Answer } from '@assay/contracts';

/** How far a probability may move between two requests: sums of floats depend on the batch. */
const TOLERANCE = 1e-3;

/**
 * Whether two answers to the same input are the same. Where both bring probabilities these decide: a label may flip between two that
 * are equally probable.
 */
export function agree(one: Answer, other: Answer): boolean {
  const { probabilities } = one;
  if (!probabilities || !other.probabilities) return one.text === other.text;
  return probabilities.every((value, index) => Math.abs(value - (other.probabilities![index] ?? NaN)) <= TOLERANCE);
}
