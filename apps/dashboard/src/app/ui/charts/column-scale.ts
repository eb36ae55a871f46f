import type { EstimateValue } from './estimate.js';

/**
 * Returns the ends of the scale that the estimates of a column share: round steps around all
 * intervals. A share stays between 0 and 1 unless a value exceeds them.
 */
export function columnScale(estimates: readonly EstimateValue[]): readonly [number, number] {
  const ends = estimates.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  if (ends.length === 0) return [0, 1];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const step = roundStep((most - least || Math.abs(most) || 1) / 4);
  return [tidy(Math.floor(least / step + 1e-9) * step), tidy(Math.ceil(most / step - 1e-9) * step)];
}

/** Returns a scale for differences: like `columnScale`, but symmetric around 0. */
export function differenceScale(estimates: readonly EstimateValue[]): readonly [number, number] {
  const farthest = Math.max(
    0,
    ...estimates.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value].map(Math.abs)),
  );
  const step = roundStep((farthest || 1) / 2);
  const end = tidy(Math.ceil(farthest / step - 1e-9) * step) || step;
  return [-end, end];
}

/**
 * Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `size`.
 */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 5].find((factor) => factor * power >= size * (1 - 1e-9)) ?? 10);
}

const tidy = (value: number): number => Number(value.toPrecision(12));
