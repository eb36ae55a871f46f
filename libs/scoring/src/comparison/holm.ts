/**
 * Holm's (1979) adjusted p-values, in the order given: the k-th smallest of m times m − k + 1, none below the ones before it, at most 1. What
 * is not above α may be rejected, and the chance of any wrong rejection is at most α.
 */
export function holm(pValues: ArrayLike<number>): Float64Array {
  const count = pValues.length;
  const order = Array.from({ length: count }, (_, index) => index).sort((a, b) => pValues[a]! - pValues[b]!);
  const adjusted = new Float64Array(count);
  let largest = 0;
  for (const [place, index] of order.entries()) {
    largest = Math.min(1, Math.max(largest, (count - place) * pValues[index]!));
    adjusted[index] = largest;
  }
  return adjusted;
}
