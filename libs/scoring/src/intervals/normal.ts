/**
 * Returns P(|Z| > |z|) for a standard normal Z, with a relative error of about 1e-13, also far out
 * in the tail. Uses the series of Φ for small z, otherwise the continued fraction of the tail
 * (Abramowitz & Stegun 26.2.10, 26.2.14).
 */
export function twoSidedNormal(z: number): number {
  const x = Math.abs(z);
  if (Number.isNaN(x)) return NaN;
  return x < 3 ? 1 - 2 * seriesFromZero(x) : 2 * tailFraction(x);
}

/** Returns P(Z ≤ z) for a standard normal Z. */
export const normalShare = (z: number): number => (z < 0 ? twoSidedNormal(z) / 2 : 1 - twoSidedNormal(z) / 2);

/** Returns the z below which a standard normal variable is with the probability `share`, in (0, 1). */
export function normalPoint(share: number): number {
  const [low, high] = bisected([-40, 40], (z) => 1 - normalShare(z), 1 - share);
  return (low + high) / 2;
}

/**
 * Finds the point of [low, high] where a falling `tail` is `probability`, by bisection, which cannot
 * fail to converge. Returns the ends of the last interval.
 */
export function bisected(
  [low, high]: readonly [low: number, high: number],
  tail: (x: number) => number,
  probability: number,
): readonly [low: number, high: number] {
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (tail(middle) > probability) low = middle;
    else high = middle;
  }
  return [low, high];
}

const density = (x: number): number => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

/**
 * Φ(x) − 1/2 = φ(x) Σ x^(2n+1) / (1·3·…·(2n+1)). All terms have the same sign, so nothing cancels.
 */
function seriesFromZero(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; term > 1e-17 * sum; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return density(x) * sum;
}

/** 1 − Φ(x) = φ(x) / (x + 1/(x + 2/(x + 3/(x + …)))), evaluated from the innermost fraction. */
function tailFraction(x: number): number {
  if (x === Infinity) return 0;
  let fraction = x;
  for (let depth = 120; depth >= 1; depth--) fraction = x + depth / fraction;
  return density(x) / fraction;
}
