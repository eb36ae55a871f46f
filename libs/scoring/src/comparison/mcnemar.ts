import { logGamma } from '../intervals/student-t.js';

/**
 * Returns the two-sided p-value of McNemar's exact test with mid-p (Fagerland, Lydersen & Laake
 * 2013). `onlyA` and `onlyB` are the examples that only one model has right. Under Binomial(n, 1/2)
 * with n = `onlyA + onlyB`, the observed count has half weight. Returns 1 if both counts are equal.
 */
export function mcnemarMidP(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  if (onlyA === onlyB) return 1;

  const logProbability = logGamma(n + 1) - logGamma(fewer + 1) - logGamma(n - fewer + 1) - n * Math.LN2;
  // sums the terms from `fewer` down, each from the one before, until they are negligible
  let term = 1;
  let below = 0;
  for (let count = fewer; count > 0 && term > 1e-18 * below; count--) {
    term *= count / (n - count + 1);
    below += term;
  }
  return Math.min(1, 2 * Math.exp(logProbability) * (0.5 + below));
}
