import type { Answer } from '@assay/contracts';

/** Maximum difference of a probability between two requests: sums of floats depend on the batch. */
const TOLERANCE = 1e-3;

/**
 * True if two answers to the same input agree. If both have probabilities, these must be equal
 * within the tolerance; the label may then differ only between the most probable labels, if these
 * are tied.
 */
export function agree(one: Answer, other: Answer): boolean {
  const { probabilities } = one;
  if (!probabilities || !other.probabilities) return one.text === other.text;
  const same = probabilities.every(
    (value, index) => Math.abs(value - (other.probabilities![index] ?? NaN)) <= TOLERANCE,
  );
  return same && (one.text === other.text || isTie(probabilities));
}

/**
 * True if the most probable label is not unique within the tolerance, so that rounding may decide.
 */
function isTie(probabilities: readonly number[]): boolean {
  const most = Math.max(...probabilities);
  return probabilities.filter((value) => most - value <= TOLERANCE).length > 1;
}
