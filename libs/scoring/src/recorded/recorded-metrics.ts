import type { Metric, MetricContext, MetricExample } from '../metric.js';
import { RecordedColumns } from './recorded-columns.js';
import { LabelAnswers, RecordedLabels } from './recorded-labels.js';
import { RecordedMean } from './recorded-mean.js';
import type { RecordedMetric } from './recorded-metric.js';
import { RecordedSums } from './recorded-sums.js';

/**
 * Several metrics with their stored numbers. Metrics that need probabilities are dropped at the
 * first answer without probabilities. A tolerated bad answer does not drop them: they score it as
 * wrong.
 */
export class RecordedMetrics {
  private readonly answers = new LabelAnswers();
  private readonly readsLabels: boolean;
  private defined: readonly RecordedMetric[];
  private anyProbabilities = false;

  constructor(metrics: readonly Metric[], context: MetricContext) {
    this.defined = metrics.map((metric) => recordedMetric(metric, context, this.answers));
    this.readsLabels = metrics.some((metric) => metric.kind === 'labels');
  }

  /** The metrics that the examples so far define. */
  get all(): readonly RecordedMetric[] {
    return this.anyProbabilities ? this.defined : this.defined.filter(isOfAnswers);
  }

  add(example: MetricExample): void {
    if (example.probabilities) this.anyProbabilities = true;
    else if (example.predicted !== null) this.defined = this.defined.filter(isOfAnswers);
    if (this.readsLabels) this.answers.add(example);
    for (const recorded of this.defined) recorded.add(example);
  }
}

export const isOfAnswers = ({ metric }: RecordedMetric): boolean => metric.needs !== 'probabilities';

/** Returns a metric with storage for its numbers. Label metrics share `answers`. */
export function recordedMetric(metric: Metric, context: MetricContext, answers: LabelAnswers): RecordedMetric {
  switch (metric.kind) {
    case 'mean':
      return new RecordedMean(metric, context);
    case 'labels':
      return new RecordedLabels(metric, answers);
    case 'sums':
      return new RecordedSums(metric, context);
    case 'columns':
      return new RecordedColumns(metric, context);
  }
}
