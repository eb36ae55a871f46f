import type { Direction, Unit } from './metric.js';

/** What values are worth: points (value, utility) in ascending values, linear between them and flat outside. */
export type UtilityCurve = readonly (readonly [value: number, utility: number])[];

/** A column of a board. */
export interface BoardMetric {
  readonly name: string;
  readonly unit: Unit;
  readonly direction: Direction;
  /** The limit of the benchmark version, in the metric's unit; with memory. */
  readonly limit?: number;
  /** The owner's own utility, in place of the rule for the unit: values in the metric's unit (ratios as ratios), utilities in points. */
  readonly curve?: UtilityCurve;
}

/** How a metric becomes a utility. */
export interface UtilityRule {
  readonly utilityOf: (value: number) => number;
  /** What the utility changes by per unit of the metric, by size; the steeper side at a bend of a curve. */
  readonly slopeAt: (value: number) => number;
}

/**
 * A utility, more being better: ratios in percent, other units as they are; where less is better negated, plus a limit. A curve replaces all
 * of it. NaN is NaN.
 */
export function utilityRule(metric: BoardMetric): UtilityRule {
  const { curve } = metric;
  if (curve) return { utilityOf: (value) => onCurve(curve, value), slopeAt: (value) => steepness(curve, value) };

  const size = metric.unit === 'ratio' ? 100 : 1;
  if (metric.direction === 'higher') return { utilityOf: (value) => size * value, slopeAt: () => size };
  const offset = (metric.limit ?? 0) * size;
  return { utilityOf: (value) => -size * value + offset, slopeAt: () => size };
}

/** The utility of a value: percent, examples per second, GiB left free, minus the value, or a point of the owner's curve. */
export function toUtility(metric: BoardMetric, value: number): number {
  return utilityRule(metric).utilityOf(value);
}

function onCurve(curve: UtilityCurve, value: number): number {
  const first = curve[0]!;
  const last = curve.at(-1)!;
  if (value <= first[0]) return first[1];
  if (value >= last[0]) return last[1];

  // NaN passes every comparison by, and comes out as NaN
  const above = Math.max(
    1,
    curve.findIndex(([x]) => x >= value),
  );
  const [x0, y0] = curve[above - 1]!;
  const [x1, y1] = curve[above]!;
  return y0 + ((value - x0) / (x1 - x0)) * (y1 - y0);
}

function steepness(curve: UtilityCurve, value: number): number {
  let slope = 0;
  for (let index = 1; index < curve.length; index++) {
    const [x0, y0] = curve[index - 1]!;
    const [x1, y1] = curve[index]!;
    if (value >= x0 && value <= x1) slope = Math.max(slope, Math.abs((y1 - y0) / (x1 - x0)));
  }
  return slope;
}
