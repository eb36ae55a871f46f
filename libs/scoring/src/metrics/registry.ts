import { DomainError } from '@assay/kernel';
import type { Metric, OutputType } from '../metric.js';
import { accuracy } from './accuracy.js';
import { balancedAccuracy } from './balanced-accuracy.js';
import { exactMatch } from './exact-match.js';
import { macroF1 } from './macro-f1.js';
import { mcc } from './mcc.js';
import { microF1 } from './micro-f1.js';
import { squadF1 } from './squad-f1.js';
import { weightedF1 } from './weighted-f1.js';

/** Every performance metric. To add one: a file beside this, and a line here. */
export const METRICS: readonly Metric[] = [
  accuracy,
  macroF1,
  microF1,
  weightedF1,
  balancedAccuracy,
  mcc,
  exactMatch,
  squadF1,
];

const byName: ReadonlyMap<string, Metric> = new Map(METRICS.map((metric) => [metric.name, metric]));

/** The metric of that name, or undefined. */
export const findMetric = (name: string): Metric | undefined => byName.get(name);

/** The metric of that name. Throws `unknown_metric`. */
export function metricNamed(name: string): Metric {
  const metric = byName.get(name);
  if (metric) return metric;

  const known = METRICS.map((each) => each.name).join(', ');
  throw new DomainError('invalid', 'unknown_metric', `There is no metric "${name}". There are: ${known}.`);
}

/** The metrics that can be computed for an output type. */
export const metricsFor = (output: OutputType): readonly Metric[] =>
  METRICS.filter((metric) => metric.outputTypes.includes(output));
