import type { Unit } from '@assay/scoring/metrics';
import { METRIC_READINGS } from './metric-readings.gen.js';

/** The unit and direction of a metric. */
export interface MetricReading {
  /** A `ratio` is shown in percent; a `value` has the unit of the task's numbers. */
  readonly unit: Unit;
  readonly isLowerBetter: boolean;
}

const READINGS: Readonly<Record<string, MetricReading>> = METRIC_READINGS;

/** The reading of metrics of perturbed examples. */
const SHARE: MetricReading = { unit: 'ratio', isLowerBetter: false };

/** @param performance The task's performance metric. `worst:` and `gap:` metrics take its unit. */
export function metricReading(name: string, performance = 'accuracy'): MetricReading {
  if (name.startsWith('worst:')) return metricReading(performance);
  if (name.startsWith('gap:')) return { ...metricReading(performance), isLowerBetter: true };
  return READINGS[name] ?? SHARE;
}

/**
 * Returns whether a metric is a cost. Costs are measured during a run, so predictions have none.
 */
export const isCost = (name: string): boolean =>
  ['s/example', 'examples/s', 'ms', 'GiB'].includes(metricReading(name).unit);
