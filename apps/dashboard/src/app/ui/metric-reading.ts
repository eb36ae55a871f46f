/** The unit and direction of a metric. */
export interface MetricReading {
  /** A `ratio` is shown in percent; a `value` has the unit of the task's numbers. */
  readonly unit: 'ratio' | 'nat' | 'value' | 'examples/s' | 'ms' | 'GiB';
  readonly isLowerBetter: boolean;
}

const SCORE: MetricReading = { unit: 'ratio', isLowerBetter: false };
const ERROR: MetricReading = { unit: 'ratio', isLowerBetter: true };

/** The metrics that are not a ratio for which higher is better. */
const READINGS: Readonly<Record<string, MetricReading>> = {
  brier: ERROR,
  ece: ERROR,
  wer: ERROR,
  cer: ERROR,
  log_loss: { unit: 'nat', isLowerBetter: true },
  mae: { unit: 'value', isLowerBetter: true },
  rmse: { unit: 'value', isLowerBetter: true },
  throughput: { unit: 'examples/s', isLowerBetter: false },
  latency_p50: { unit: 'ms', isLowerBetter: true },
  latency_p90: { unit: 'ms', isLowerBetter: true },
  latency_p95: { unit: 'ms', isLowerBetter: true },
  latency_p99: { unit: 'ms', isLowerBetter: true },
  memory: { unit: 'GiB', isLowerBetter: true },
};

/** @param performance The task's performance metric. `worst:` and `gap:` metrics take its unit. */
export function metricReading(name: string, performance = 'accuracy'): MetricReading {
  if (name.startsWith('worst:')) return metricReading(performance);
  if (name.startsWith('gap:')) return { ...metricReading(performance), isLowerBetter: true };
  return READINGS[name] ?? SCORE;
}

/**
 * Returns whether a metric is a cost. Costs are measured during a run, so predictions have none.
 */
export const isCost = (name: string): boolean => ['examples/s', 'ms', 'GiB'].includes(metricReading(name).unit);
