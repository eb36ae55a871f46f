import type { Direction, Unit } from '../metric.js';

/**
 * A conversion of values to utilities: points (value, utility) by ascending value, linear between
 * the points and constant outside.
 */
export type UtilityCurve = readonly (readonly [value: number, utility: number])[];

/** A column of a board. */
export interface BoardMetric {
  readonly name: string;
  readonly unit: Unit;
  readonly direction: Direction;
  /** The limit of the benchmark version, in the metric's unit; only for memory. */
  readonly limit?: number;
  /**
   * The owner's own utility, instead of the rule for the unit. Values are in the metric's unit
   * (ratios as ratios), utilities in points.
   */
  readonly curve?: UtilityCurve;
  /** The fixed exchange rate of a cost; absent for other metrics and where AMRS is used. */
  readonly exchange?: CostExchange;
}

/** A fixed exchange rate: a cost is worth `rate` points per doubling, counted from `reference`. */
export interface CostExchange {
  /** ρ, in points per doubling. */
  readonly rate: number;
  /** The value that is worth 0 points, in the metric's unit. */
  readonly reference: number;
}

/** The conversion of a metric to a utility. */
export interface UtilityRule {
  readonly utilityOf: (value: number) => number;
  /**
   * The absolute change of the utility per unit of the metric; the steeper side at a bend of a
   * curve.
   */
  readonly slopeAt: (value: number) => number;
}

const SIZES: Partial<Record<Unit, number>> = { ratio: 100, 's/example': 1000 };

/**
 * The smallest value of a cost at a fixed rate, in its unit (a byte, a nanosecond): a cost that was
 * measured as 0 still has a finite logarithm.
 */
const SMALLEST_COST = 2 ** -30;

/**
 * Returns the rule by which higher utility is better: ratios in percent, CPU time
 * in milliseconds, other units unchanged. If
 * lower is better, the value is negated and the limit added. A fixed exchange rate gives points per
 * doubling instead, and a curve replaces all of this. NaN stays NaN.
 */
export function utilityRule(metric: BoardMetric): UtilityRule {
  const { curve, exchange } = metric;
  if (curve) return { utilityOf: (value) => onCurve(curve, value), slopeAt: (value) => steepness(curve, value) };
  if (exchange) return pointsPerDoubling(metric.direction, exchange);

  const size = SIZES[metric.unit] ?? 1;
  if (metric.direction === 'higher') return { utilityOf: (value) => size * value, slopeAt: () => size };
  const offset = (metric.limit ?? 0) * size;
  return { utilityOf: (value) => -size * value + offset, slopeAt: () => size };
}

/** ρ · log2(ref / x) where lower is better, else ρ · log2(x / ref). */
function pointsPerDoubling(direction: Direction, { rate, reference }: CostExchange): UtilityRule {
  const sign = direction === 'lower' ? -rate : rate;
  return {
    utilityOf: (value) => sign * Math.log2(Math.max(value, SMALLEST_COST) / reference),
    slopeAt: (value) => rate / (Math.LN2 * Math.max(value, SMALLEST_COST)),
  };
}

function onCurve(curve: UtilityCurve, value: number): number {
  const first = curve[0]!;
  const last = curve.at(-1)!;
  if (value <= first[0]) return first[1];
  if (value >= last[0]) return last[1];

  // NaN fails every comparison and therefore results in NaN
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
