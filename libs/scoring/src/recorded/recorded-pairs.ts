import { labelCountsOf } from '../label-cells.js';
import type { Metric, MetricContext, MetricExample } from '../metric.js';
import { type PairStatistic, pairSums } from '../resampling/statistic.js';
import { RecordedColumns } from './recorded-columns.js';
import { type CountedLabels, LabelAnswers, RecordedLabels } from './recorded-labels.js';
import type { RecordedMetric } from './recorded-metric.js';
import { isOfAnswers, recordedMetric } from './recorded-metrics.js';
import { RecordedSums } from './recorded-sums.js';

export interface PairOptions {
  /** True if the examples are those of a slice. */
  readonly isSlice: boolean;
  /** False leaves out the metrics that need probabilities. */
  readonly hasProbabilities: boolean;
}

/** Set-level metrics with the stored numbers of several models, of which any two can be compared. */
export class RecordedPairs {
  private readonly answers = new LabelAnswers();
  private readonly all: readonly RecordedMetric[];
  private readonly readsLabels: boolean;

  /** @param metrics without means */
  constructor(metrics: readonly Metric[], context: MetricContext) {
    this.all = metrics.map((metric) => recordedMetric(metric, context, this.answers));
    this.readsLabels = metrics.some(({ kind }) => kind === 'labels');
  }

  /** Adds the answer of one model to one example. */
  add(example: MetricExample): void {
    if (this.readsLabels) this.answers.add(example);
    for (const recorded of this.all) recorded.add(example);
  }

  /**
   * Returns the metrics of two models for draws of groups. `groupOf[i]` is the group of `rows[i]`:
   * those of the first model are in [0, groups), those of the second to the same examples in
   * [groups, 2 · groups). The label counts of a draw are added up once for all label metrics that
   * count the same labels.
   */
  pair(rows: Int32Array, groupOf: Int32Array, groups: number, { isSlice, hasProbabilities }: PairOptions): PairMetrics {
    const defined = hasProbabilities ? this.all : this.all.filter(isOfAnswers);
    const labels = defined
      .filter((each) => each instanceof RecordedLabels)
      .map((each) => (isSlice ? each.onSlice : each))
      .toSorted((one, other) => COUNTED.indexOf(one.labels) - COUNTED.indexOf(other.labels));
    const others = defined.filter((each) => each instanceof RecordedSums || each instanceof RecordedColumns);
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
}

/** The order of label metrics in `pair`. */
const COUNTED: readonly CountedLabels[] = ['occurring', 'gold'];

/** Metrics of two models, in the order of `names`. */
export interface PairMetrics {
  readonly names: readonly string[];
  readonly statistic: PairStatistic;
}
