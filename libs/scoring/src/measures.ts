import type { Direction, Unit } from './metric.js';

/** A figure of a run: what a model costs. */
export interface Measure {
  readonly name: string;
  readonly direction: Direction;
  readonly unit: Unit;
}

/** Every cost, in its unit and with the direction that is better. */
export const MEASURES: readonly Measure[] = [
  { name: 'throughput', direction: 'higher', unit: 'examples/s' },
  { name: 'latency_p50', direction: 'lower', unit: 'ms' },
  { name: 'latency_p90', direction: 'lower', unit: 'ms' },
  { name: 'latency_p95', direction: 'lower', unit: 'ms' },
  { name: 'latency_p99', direction: 'lower', unit: 'ms' },
  { name: 'memory', direction: 'lower', unit: 'GiB' },
];

const byName: ReadonlyMap<string, Measure> = new Map(MEASURES.map((measure) => [measure.name, measure]));

/** The cost of that name, or undefined. */
export const findMeasure = (name: string): Measure | undefined => byName.get(name);
