import { logGamma } from '../intervals/student-t.js';

/**
 * McNemar's exact test with the mid-p (Fagerland, Lydersen & Laake 2013): the two-sided p of `onlyA` of the `onlyA + onlyB` examples on which
 * one model alone is right, under Binomial(n, 1/2), the observed count itself by half. 1 where the models differ on nothing.
 */
export function mcnemarMidP(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const fewer = Math.min(onlyA, onlyB);
  if (onlyA === onlyB) return 1;

  const logProbability = logGamma(n + 1) - logGamma(fewer + 1) - logGamma(n - fewer + 1) - n * Math.LN2;
  // the terms from `fewer` down, each of the one before; they fall, and what is left soon counts for nothing
  let term = 1;
  let below = 0;
  for (let count = fewer; count > 0 && term > 1e-18 * below; count--) {
    term *= count / (n - count + 1);
    below += term;
  }
  return Math.min(1, 2 * Math.exp(logProbability) * (0.5 + below));
}
