import type { Clusters, Estimate } from '../estimate.js';
import { bytes, numbers, type GrowableColumn } from '../growable-column.js';
import { meanEstimate } from '../intervals/t-interval.js';
import { proportionEstimate } from '../intervals/wilson.js';
import type { ExampleMetric, MetricContext, MetricExample } from '../metric.js';
import { meanStatistic, type Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { pick, type RecordedMetric } from './recorded-metric.js';

/** The stored scores of a mean metric, per example: 1 byte for binary scores, otherwise 8. */
export class RecordedMean implements RecordedMetric {
  private readonly scores: GrowableColumn<Uint8Array> | GrowableColumn<Float64Array>;

  constructor(
    readonly metric: ExampleMetric,
    private readonly context: MetricContext,
  ) {
    this.scores = metric.scores === 'binary' ? bytes() : numbers();
  }

  add({ gold, predicted, probabilities, spans }: MetricExample): void {
    this.scores.push(this.metric.perExample(gold, predicted, probabilities, this.context, spans));
  }

  *estimate(rows: Int32Array | null, clusters: Clusters | null): Work<Estimate> {
    const scores = pick(this.scores.view(), rows);
    const { scores: kind, range } = this.metric;
    return kind === 'binary' ? proportionEstimate(scores, clusters) : meanEstimate(scores, clusters, range);
  }

  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic {
    return meanStatistic(pick(this.scores.view(), rows), groupOf);
  }

  rightAnswers(): Uint8Array | null {
    const scores = this.scores.view();
    return scores instanceof Uint8Array ? scores : null;
  }

  reader(): (rows: Int32Array) => number {
    const scores = this.scores.view();
    return (rows) => {
      let sum = 0;
      for (let index = 0; index < rows.length; index++) sum += scores[rows[index]!]!;
      return sum / rows.length;
    };
  }
}
