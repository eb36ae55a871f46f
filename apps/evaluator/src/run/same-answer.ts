import type { Answer } from '@assay/contracts';

/** How far a probability may move between two requests: sums of floats depend on the batch. */
const TOLERANCE = 1e-3;

/**
 * Whether two answers to the same input are the same. Where both bring probabilities these must be; a label may then flip only between those
 * that are the most probable, and equally so.
 */
export function agree(one: Answer, other: Answer): boolean {
  const { probabilities } = one;
  if (!probabilities || !other.probabilities) return one.text === other.text;
  const same = probabilities.every(
    (value, index) => Math.abs(value - (other.probabilities![index] ?? NaN)) <= TOLERANCE,
  );
  return same && (one.text === other.text || isTie(probabilities));
}

/** Whether sums of floats may decide which label it is. */
export function isTie(probabilities: readonly number[]): boolean {
  const most = Math.max(...probabilities);
  return probabilities.filter((value) => most - value <= TOLERANCE).length > 1;
}
