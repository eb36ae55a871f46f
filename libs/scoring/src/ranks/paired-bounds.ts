import { remembered } from '@assay/kernel';
import { bisected } from '../intervals/normal.js';
import type { Bounds } from './rank-family.js';

/** The examples of one dataset on which one of two models is right and the other is wrong. */
export interface Discordant {
  /** The number of examples on which only the first model is right. */
  readonly one: number;
  /** The number of examples on which only the second model is right. */
  readonly other: number;
  /** The number of examples of the dataset. */
  readonly examples: number;
}

/** Exact bounds replace the bootstrap where two models differ on fewer examples than this. */
export const EXACT_BELOW = 10;
/** The part of the error that is spent on how often two models differ. The rest is spent on who is right then. */
const ON_RATE = 0.1;

/**
 * Returns bounds of the true difference between the accuracies of two models, the first minus the
 * second, from the few examples on which they differ. The difference is ψ (2θ − 1), where ψ is the
 * share of examples on which they differ and θ the share of those on which the first is right. Both
 * have exact binomial bounds (Clopper and Pearson 1934), so that the coverage is at least nominal.
 * If all examples on which they differ favour one model, the bounds exclude 0 from 6 examples on for
 * an error of 5%, as the sign test does.
 *
 * @param error the two-sided error, for example 0.05
 */
export function pairedBounds({ one, other, examples }: Discordant, error: number): Bounds {
  const tail = error / 2;
  return [lowest(one, other, examples, tail), -lowest(other, one, examples, tail)];
}

/** Returns the lower bound with an error of `tail`. */
function lowest(right: number, wrong: number, examples: number, tail: number): number {
  const onRate = ON_RATE * tail;
  const theta = 1 - shareAtMost(wrong, right + wrong, tail - onRate);
  const lean = 2 * theta - 1;
  const differing = right + wrong;
  const rate =
    lean > 0 ? 1 - shareAtMost(examples - differing, examples, onRate) : shareAtMost(differing, examples, onRate);
  return lean * rate;
}

const found = new Map<string, number>();

/** Returns the upper bound of a share: the p with P(X ≤ count) = `error` for X from Binomial(n, p). */
function shareAtMost(count: number, n: number, error: number): number {
  if (count >= n) return 1;
  if (found.size > 10_000) found.clear();
  return remembered(found, `${count} ${n} ${error}`, () => bisected([0, 1], (p) => atMost(count, n, p), error)[1]);
}

/** Returns P(X ≤ count) for X from Binomial(n, p), summed over the smaller of both sides. */
function atMost(count: number, n: number, p: number): number {
  if (p === 0) return 1;
  if (p === 1) return count >= n ? 1 : 0;
  if (count > n / 2) return 1 - sumTo(n - count - 1, n, 1 - p);
  return sumTo(count, n, p);
}

function sumTo(count: number, n: number, p: number): number {
  let log = n * Math.log1p(-p);
  let sum = 0;
  for (let k = 0; k <= count; k++) {
    sum += Math.exp(log);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return sum;
}
