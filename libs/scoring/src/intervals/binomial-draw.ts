import type { Rng } from '@assay/kernel';

const { abs, floor, log, sqrt } = Math;

/**
 * Draws from Binomial(n, p): by inversion if n·p is small, otherwise by rejection (BTRS, Hörmann
 * 1993).
 */
export function drawBinomial(n: number, p: number, rng: Rng): number {
  if (n === 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - drawBinomial(n, 1 - p, rng);
  return n * p < 10 ? invert(n, p, rng) : reject(n, p, rng);
}

function invert(n: number, p: number, rng: Rng): number {
  const odds = p / (1 - p);
  let probability = (1 - p) ** n;
  let left = rng.next();
  let successes = 0;
  while (left > probability && successes < n) {
    left -= probability;
    successes++;
    probability *= (odds * (n - successes + 1)) / successes;
  }
  return successes;
}

function reject(n: number, p: number, rng: Rng): number {
  const odds = p / (1 - p);
  const spread = sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const centre = n * p + 0.5;
  const inside = 0.92 - 4.2 / b;
  const alpha = (2.83 + 5.1 / b) * spread;
  const mode = floor((n + 1) * p);

  for (;;) {
    const u = rng.next() - 0.5;
    const v = rng.next();
    const us = 0.5 - abs(u);
    const k = floor(((2 * a) / us + b) * u + centre);
    if (us >= 0.07 && v <= inside) return k;
    if (!(k >= 0 && k <= n)) continue;

    const bound =
      (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1))) +
      (n + 1) * log((n - mode + 1) / (n - k + 1)) +
      (k + 0.5) * log((odds * (n - k + 1)) / (k + 1)) +
      stirlingTail(mode) +
      stirlingTail(n - mode) -
      stirlingTail(k) -
      stirlingTail(n - k);
    if (log((v * alpha) / (a / (us * us) + b)) <= bound) return k;
  }
}

const SMALL_TAILS = [
  0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509, 0.01664469118982119,
  0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.009255462182712733, 0.008330563433362871,
];

/** Returns ln k! minus Stirling's approximation of it. */
function stirlingTail(k: number): number {
  const small = SMALL_TAILS[k];
  if (small !== undefined) return small;

  const square = (k + 1) * (k + 1);
  return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1);
}
