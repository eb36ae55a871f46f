import type { Metric, MetricContext, MetricExample } from '../metric.js';
import { KeptColumns } from './kept-columns.js';
import { KeptLabels, LabelAnswers } from './kept-labels.js';
import { KeptMean } from './kept-mean.js';
import type { KeptMetric } from './kept-metric.js';
import { KeptSums } from './kept-sums.js';

/**
 * Several metrics with their stored numbers. Metrics that need probabilities are dropped at the
 * first answer without probabilities. A tolerated bad answer does not drop them: they score it as
 * wrong.
 */
export class KeptMetrics {
  private readonly answers = new LabelAnswers();
  private readonly readsLabels: boolean;
  private defined: readonly KeptMetric[];
  private anyProbabilities = false;

  constructor(metrics: readonly Metric[], context: MetricContext) {
    this.defined = metrics.map((metric) => keptMetric(metric, context, this.answers));
    this.readsLabels = metrics.some((metric) => metric.kind === 'labels');
  }

  /** The metrics that the examples so far define. */
  get all(): readonly KeptMetric[] {
    return this.anyProbabilities ? this.defined : this.defined.filter(isOfAnswers);
  }

  add(example: MetricExample): void {
    if (example.probabilities) this.anyProbabilities = true;
    else if (example.predicted !== null) this.defined = this.defined.filter(isOfAnswers);
    if (this.readsLabels) this.answers.add(example);
    for (const kept of this.defined) kept.add(example);
  }
}

const isOfAnswers = ({ metric }: KeptMetric): boolean => metric.needs !== 'probabilities';

function keptMetric(metric: Metric, context: MetricContext, answers: LabelAnswers): KeptMetric {
  switch (metric.kind) {
    case 'mean':
      return new KeptMean(metric, context);
    case 'labels':
      return new KeptLabels(metric, answers);
    case 'sums':
      return new KeptSums(metric, context);
    case 'columns':
      return new KeptColumns(metric, context);
  }
}
