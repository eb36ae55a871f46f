import type { Direction } from './metric.js';

export interface SaturationPoint {
  /** Place of the model among the values. */
  readonly place: number;
  readonly best: number;
  /** (best − human) ÷ |first − human|; null where that is not defined. */
  readonly saturation: number | null;
}

/**
 * How near the best models came to people (figure 1 of Kiela et al. 2021, "Dynabench"): the first model, then each that is better than all
 * before it. The first model is at −1 where it is worse than people (+1 where it is better), people at 0. Of a metric that is better lower, both
 * signs are turned, so that up is better.
 * @param values of models in the order in which they came
 * @param human null: nobody knows
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
