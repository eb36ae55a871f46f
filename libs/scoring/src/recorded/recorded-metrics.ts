import { labelCountsOf } from '../label-cells.js';
import type { Metric, MetricContext, MetricExample } from '../metric.js';
import { type PairStatistic, pairSums } from '../resampling/statistic.js';
import { RecordedColumns } from './recorded-columns.js';
import { type CountedLabels, LabelAnswers, RecordedLabels } from './recorded-labels.js';
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

  /**
   * Returns all metrics of two models for draws of groups, except means. `groupOf[i]` is the group of
   * `rows[i]`: those of the first model are in [0, groups), those of the second to the same examples
   * in [groups, 2 · groups). The label counts of a draw are added up once for all label metrics that
   * count the same labels.
   * @param isSlice whether the examples are those of a slice
   */
  pair(rows: Int32Array, groupOf: Int32Array, groups: number, isSlice: boolean): PairMetrics {
    const labels = this.all
      .filter((each) => each instanceof RecordedLabels)
      .map((each) => (isSlice ? each.onSlice : each))
      .toSorted((one, other) => COUNTED.indexOf(one.labels) - COUNTED.indexOf(other.labels));
    const others = this.all.filter((each) => each instanceof RecordedSums || each instanceof RecordedColumns);
    const parts = others.map((each, place) => ({
      at: labels.length + place,
      statistic: each.pair(rows, groupOf, groups),
    }));
    const tables = this.labelTables(labels, rows);
    for (const [{ table, contributions }, group] of Map.groupBy(labels, ({ labels: counted }) =>
      tables.get(counted)!,
    )) {
      const countsOf = labelCountsOf(table);
      const statistic = pairSums(contributions, groupOf, groups, (sums, into) => {
        const counts = countsOf(sums);
        for (const [place, each] of group.entries()) {
          into[place] = each.isDefinedFor(table.labels) ? each.metric.fromLabels(counts) : NaN;
        }
      });
      parts.push({ at: labels.indexOf(group[0]!), statistic });
    }
    return {
      names: [...labels, ...others].map(({ metric }) => metric.name),
      statistic: {
        resampled: (times, a, b) => {
          for (const { at, statistic } of parts) statistic.resampled(times, a.subarray(at), b.subarray(at));
        },
        swapped: (swapped, a, b) => {
          for (const { at, statistic } of parts) statistic.swapped(swapped, a.subarray(at), b.subarray(at));
        },
      },
    };
  }

  /** Returns the table of each kind. Where every label is the gold of some example, both are one table. */
  private labelTables(
    metrics: readonly RecordedLabels[],
    rows: Int32Array,
  ): ReadonlyMap<CountedLabels, ReturnType<LabelAnswers['table']>> {
    const tables = new Map<CountedLabels, ReturnType<LabelAnswers['table']>>();
    for (const { labels } of metrics) {
      if (tables.has(labels)) continue;
      const found = this.answers.table(rows, labels);
      const equal = tables.values().find(({ table }) => table.labels === found.table.labels);
      tables.set(labels, equal ?? found);
    }
    return tables;
  }

  add(example: MetricExample): void {
    if (example.probabilities) this.anyProbabilities = true;
    else if (example.predicted !== null) this.defined = this.defined.filter(isOfAnswers);
    if (this.readsLabels) this.answers.add(example);
    for (const recorded of this.defined) recorded.add(example);
  }
}

/** The order of label metrics in `pair`. */
const COUNTED: readonly CountedLabels[] = ['occurring', 'gold'];

/** Metrics of two models, in the order of `names`. */
export interface PairMetrics {
  readonly names: readonly string[];
  readonly statistic: PairStatistic;
}

const isOfAnswers = ({ metric }: RecordedMetric): boolean => metric.needs !== 'probabilities';

function recordedMetric(metric: Metric, context: MetricContext, answers: LabelAnswers): RecordedMetric {
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
