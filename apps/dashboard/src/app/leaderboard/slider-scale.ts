/**
 * Returns the upper end of a weight slider: 1, 2, 5 or 10 times a power of ten, at least twice the
 * largest of the task's weights, and at least `weight`.
 */
export function sliderEnd(official: readonly number[], weight: number): number {
  const least = Math.max(2 * Math.max(0, ...official), weight) || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  // the tolerance absorbs rounding errors, so that 10 always fits
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9))!;
}
