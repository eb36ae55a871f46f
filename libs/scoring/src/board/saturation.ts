import type { Direction } from '../metric.js';

export interface SaturationPoint {
  /** Index of the model among the values. */
  readonly place: number;
  readonly best: number;
  /** (best − human) ÷ |first − human|; null if that is undefined. */
  readonly saturation: number | null;
}

/**
 * Returns how close the best models came to human performance (figure 1 of Kiela et al. 2021,
 * "Dynabench"): the first model, then each model that is better than all before it. Human
 * performance is 0. The first model is −1 if it is worse than people and +1 if it is better. If
 * lower values of the metric are better, both signs are reversed, so that up is always better.
 *
 * @param values of the models, in the order of submission
 * @param human human performance; null if unknown
 */
export function saturation(values: readonly number[], human: number | null, direction: Direction): SaturationPoint[] {
  const sign = direction === 'lower' ? -1 : 1;
  const [first] = values;
  const points: SaturationPoint[] = [];
  for (const [place, best] of values.entries()) {
    const before = points.at(-1);
    if (before && sign * best <= sign * before.best) continue;
    const isDefined = human !== null && first !== human;
    points.push({ place, best, saturation: isDefined ? (sign * (best - human)) / Math.abs(first! - human) : null });
  }
  return points;
}
