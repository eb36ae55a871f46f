import type { Rng } from '@assay/kernel';

/**
 * Draws from Gamma(shape, 1), shape > 0 (Marsaglia & Tsang 2000; for a shape below 1, their boost
 * with a power of a uniform).
 */
export function drawGamma(shape: number, rng: Rng): number {
  if (shape < 1) return drawGamma(shape + 1, rng) * (1 - rng.next()) ** (1 / shape);

  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = drawNormal(rng);
    const cube = (1 + c * normal) ** 3;
    if (cube <= 0) continue;
    const log = Math.log(1 - rng.next());
    if (log < 0.5 * normal * normal + d - d * cube + d * Math.log(cube)) return d * cube;
  }
}

/** Draws from the standard normal distribution (Box & Muller 1958). */
export function drawNormal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
}
