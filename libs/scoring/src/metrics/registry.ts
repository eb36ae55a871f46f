import { DomainError } from '@assay/kernel';
import type { Metric, OutputType } from '../metric.js';
import { METRICS as DECLARED } from './registry.gen.js';

export type PerformanceMetric = (typeof DECLARED)[number]['name'];

/**
 * All performance metrics. Several may share a name if their outputs differ; then the first one
 * stands for the name alone.
 */
export const METRICS: readonly Metric<PerformanceMetric>[] = DECLARED;

/**
 * Returns the metric with this name for an output type, or undefined. Without `output`, returns the
 * first metric with this name.
 */
export const findMetric = (name: string, output?: OutputType): Metric<PerformanceMetric> | undefined =>
  METRICS.find((metric) => metric.name === name && (output === undefined || metric.outputs.includes(output)));

/**
 * Returns the metric with this name for an output type. Without `output`, returns the first metric
 * with this name.
 *
 * @throws DomainError `unknown_metric`
 */
export function metricNamed(name: string, output?: OutputType): Metric<PerformanceMetric> {
  const metric = findMetric(name, output);
  if (metric) return metric;

  const known = [...new Set((output ? metricsFor(output) : METRICS).map((each) => each.name))].join(', ');
  const where = output ? ` for an output of type ${output}` : '';
  throw new DomainError('invalid', 'unknown_metric', `Unknown metric "${name}"${where}. Known metrics: ${known}.`);
}

/** Returns the metrics that can be computed for an output type. */
export const metricsFor = (output: OutputType): readonly Metric<PerformanceMetric>[] =>
  METRICS.filter((metric) => metric.outputs.includes(output));
