import { remembered } from '@assay/kernel';
import { Z95 } from '../estimate.js';
import { bisected } from './normal.js';

const cached = new Map<number, number>();

/**
 * Returns the two-sided 95% point of Student's t with `freedom` ≥ 1 degrees of freedom, to about
 * 1e-12.
 */
export function studentT95(freedom: number): number {
  return remembered(cached, freedom, () => (freedom > 1000 ? expansion(freedom) : bisection(freedom)));
}

/**
 * Abramowitz & Stegun 26.7.5: exact to 1e-12 for many degrees of freedom, where the gamma functions
 * would cancel.
 */
function expansion(freedom: number): number {
  const z = Z95;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}

function bisection(freedom: number): number {
  const [low, high] = bisected([1.9, 13], (t) => twoSidedT(t, freedom), 0.05);
  return (low + high) / 2;
}

/**
 * Returns P(|T| > |t|) for Student's t with `freedom` degrees of freedom, which need not be an
 * integer: I_{ν/(ν+t²)}(ν/2, 1/2) (Abramowitz & Stegun 26.7.1).
 */
export function twoSidedT(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/**
 * Returns the regularised incomplete beta function by its continued fraction, with the Lentz method
 * (Numerical Recipes 6.4).
 */
function incompleteBeta(x: number, a: number, b: number): number {
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  const front = Math.exp(logFront);
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = guard(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = guard(1 + even * d);
    c = 1 + even / c || tiny;
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = guard(1 + odd * d);
    c = 1 + odd / c || tiny;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;

  function guard(denominator: number): number {
    return 1 / (denominator || tiny);
  }
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Returns ln Γ(x) for x ≥ 0.5 (Lanczos, g = 7, n = 9). */
export function logGamma(x: number): number {
  let series = LANCZOS[0]!;
  for (let index = 1; index < LANCZOS.length; index++) series += LANCZOS[index]! / (x - 1 + index);
  const base = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}
