import { Z95 } from '../estimate.js';
import { bisected } from '../intervals/normal.js';

/**
 * Returns Tango's (1998) 95% score interval of the difference between two paired proportions,
 * (`onlyA` − `onlyB`) / `n`. `onlyA` and `onlyB` are the examples that only one model has right. The
 * interval has a positive width for every `n`, also where no example is discordant.
 */
export function tangoInterval(
  onlyA: number,
  onlyB: number,
  n: number,
): { readonly low: number; readonly high: number } {
  const value = (onlyA - onlyB) / n;
  const score = (difference: number): number => scoreOf(difference, onlyA, onlyB, n);
  const [low] = bisected([-1, value], score, Z95);
  const [, high] = bisected([value, 1], score, -Z95);
  // rounding must not move a bound past the value
  return { low: Math.min(value, low), high: Math.max(value, high) };
}

/**
 * Returns the score statistic of the hypothesis that the true difference is `difference`. It falls
 * as the difference grows. The variance is that of the constrained maximum likelihood estimate: `q`
 * estimates the share of examples that only the second model has right.
 */
function scoreOf(difference: number, onlyA: number, onlyB: number, n: number): number {
  const excess = onlyA - onlyB - n * difference;
  const a = 2 * n;
  const b = -onlyA - onlyB + (2 * n - onlyA + onlyB) * difference;
  const c = -onlyB * difference * (1 - difference);
  const q = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  const variance = n * (2 * q + difference * (1 - difference));
  if (variance > 0) return excess / Math.sqrt(variance);
  return excess === 0 ? 0 : excess * Infinity;
}
