import type { Direction, Unit } from './metric.js';

/** A column of a board. */
export interface BoardMetric {
  readonly name: string;
  readonly unit: Unit;
  readonly direction: Direction;
  /** The limit of the benchmark version, in the metric's unit; with memory. */
  readonly limit?: number;
}

/** u = `scale` · x + `offset`. */
export interface UtilityRule {
  readonly scale: number;
  readonly offset: number;
}

/** How a metric becomes a utility, more being better: ratios in percent, other units as they are; where less is better negated, plus a limit. */
export function utilityRule(metric: BoardMetric): UtilityRule {
  const size = metric.unit === 'ratio' ? 100 : 1;
  if (metric.direction === 'higher') return { scale: size, offset: 0 };
  return { scale: -size, offset: (metric.limit ?? 0) * size };
}

/** The utility of a value: percent, examples per second, GiB left free, or minus the value. */
export function toUtility(metric: BoardMetric, value: number): number {
  const { scale, offset } = utilityRule(metric);
  return scale * value + offset;
}
