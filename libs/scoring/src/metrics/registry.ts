import { DomainError } from '@assay/kernel';
import type { Metric, OutputType } from '../metric.js';
import { accuracy } from './accuracy.js';
import { auroc } from './auroc.js';
import { balancedAccuracy } from './balanced-accuracy.js';
import { bleu } from './bleu.js';
import { brier } from './brier.js';
import { cer } from './cer.js';
import { chrf } from './chrf.js';
import { ece } from './ece.js';
import { exactMatch } from './exact-match.js';
import { jaccard } from './jaccard.js';
import { labelsMacroF1 } from './labels-macro-f1.js';
import { labelsMicroF1 } from './labels-micro-f1.js';
import { logLoss } from './log-loss.js';
import { macroF1 } from './macro-f1.js';
import { mae } from './mae.js';
import { mcc } from './mcc.js';
import { microF1 } from './micro-f1.js';
import { pearson } from './pearson.js';
import { rmse } from './rmse.js';
import { rougeL } from './rouge-l.js';
import { spearman } from './spearman.js';
import { squadF1 } from './squad-f1.js';
import { subsetAccuracy } from './subset-accuracy.js';
import { weightedF1 } from './weighted-f1.js';
import { wer } from './wer.js';

/**
 * All performance metrics. To add one, create a file next to this one and add a line here. Several
 * metrics may share a name if their output types differ; they must then have the same direction,
 * unit and range.
 */
export const METRICS: readonly Metric[] = [
  accuracy,
  subsetAccuracy,
  macroF1,
  labelsMacroF1,
  microF1,
  labelsMicroF1,
  weightedF1,
  balancedAccuracy,
  mcc,
  auroc,
  brier,
  logLoss,
  ece,
  jaccard,
  exactMatch,
  squadF1,
  bleu,
  chrf,
  rougeL,
  wer,
  cer,
  mae,
  rmse,
  pearson,
  spearman,
];

/**
 * Returns the metric with this name for an output type, or undefined. Without `output`, returns the
 * first metric with this name.
 */
export const findMetric = (name: string, output?: OutputType): Metric | undefined =>
  METRICS.find((metric) => metric.name === name && (output === undefined || metric.outputTypes.includes(output)));

/**
 * Returns the metric with this name for an output type. Without `output`, returns the first metric
 * with this name.
 *
 * @throws DomainError `unknown_metric`
 */
export function metricNamed(name: string, output?: OutputType): Metric {
  const metric = findMetric(name, output);
  if (metric) return metric;

  const known = [...new Set((output ? metricsFor(output) : METRICS).map((each) => each.name))].join(', ');
  const where = output ? ` for an output of type ${output}` : '';
  throw new DomainError('invalid', 'unknown_metric', `Unknown metric "${name}"${where}. Known are: ${known}.`);
}

/** Returns the metrics that can be computed for an output type. */
export const metricsFor = (output: OutputType): readonly Metric[] =>
  METRICS.filter((metric) => metric.outputTypes.includes(output));
