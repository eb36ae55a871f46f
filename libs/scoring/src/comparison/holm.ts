/**
 * Returns Holm's (1979) adjusted p-values, in the given order: the k-th smallest of m is multiplied
 * by m − k + 1, is at least the one before it, and at most 1. If values up to α are rejected, the
 * chance of any wrong rejection is at most α.
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
