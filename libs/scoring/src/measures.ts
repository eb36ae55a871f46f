import { deviation } from './intervals/bootstrap.js';
import type { Direction, Unit } from './metric.js';

/** A cost of a model, measured during a run. */
export interface Measure {
  readonly name: string;
  /** The name for people, as within a sentence. */
  readonly label: string;
  readonly direction: Direction;
  readonly unit: Unit;
}

/** All costs, with their units and the direction that is better. */
export const MEASURES: readonly Measure[] = [
  { name: 'cpu_time', label: 'CPU time', direction: 'lower', unit: 's/example' },
  { name: 'throughput', label: 'throughput', direction: 'higher', unit: 'examples/s' },
  { name: 'latency_p50', label: 'latency p50', direction: 'lower', unit: 'ms' },
  { name: 'latency_p90', label: 'latency p90', direction: 'lower', unit: 'ms' },
  { name: 'latency_p95', label: 'latency p95', direction: 'lower', unit: 'ms' },
  { name: 'latency_p99', label: 'latency p99', direction: 'lower', unit: 'ms' },
  { name: 'memory', label: 'memory', direction: 'lower', unit: 'GiB' },
];

/** Returns the median, in the unit of the values; null without values. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns the sample standard deviation (n − 1), in the unit of the values; null for fewer than two
 * values.
 */
export function standardDeviation(values: readonly number[]): number | null {
  return values.length < 2 ? null : deviation(values);
}
