import type { Clusters, Estimate } from '../estimate.js';
import { numbers } from '../growable-column.js';
import { resampledEstimate } from '../intervals/bootstrap.js';
import type { ColumnsMetric, MetricContext, MetricExample } from '../metric.js';
import {
  columnsStatistic,
  pairColumns,
  type PairStatistic,
  preparedOneByOne,
  type Statistic,
} from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { everyRow, type RecordedMetric } from './recorded-metric.js';

/** The stored numbers of a columns metric, 8 bytes each. */
export class RecordedColumns implements RecordedMetric {
  private readonly width: number;
  private readonly scratch: Float64Array;
  private readonly columns = numbers();
  private examples = 0;

  constructor(
    readonly metric: ColumnsMetric,
    private readonly context: MetricContext,
  ) {
    this.width = metric.width(context);
    this.scratch = new Float64Array(this.width);
  }

  add(example: MetricExample): void {
    this.scratch.fill(0);
    this.metric.read(example, this.scratch, 0, this.context);
    for (const value of this.scratch) this.columns.push(value);
    this.examples++;
  }

  *estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate> {
    return yield* resampledEstimate(
      (groupOf) => this.statistic(rows, groupOf),
      rows?.length ?? this.examples,
      clusters,
      seed,
      this.metric,
      this.metric.perLabel && this.support(rows),
    );
  }

  /** Returns the number of examples per gold label, from the first column. */
  private support(rows: Int32Array | null): Float64Array {
    const columns = this.columns.view();
    const support = new Float64Array(this.context.labels.length);
    for (const row of rows ?? everyRow(this.examples)) {
      const label = columns[row * this.width]!;
      if (label >= 0) support[label]! += 1;
    }
    return support;
  }

  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic {
    const count = rows?.length ?? this.examples;
    return columnsStatistic(this.metric.prepare(this.picked(rows), count, this.context), groupOf);
  }

  /** Returns the metric of two models, as `pairSums` does; `rows` are the interleaved examples of both. */
  pair(rows: Int32Array, groupOf: Int32Array, groups: number): PairStatistic {
    const [columns, n] = [this.picked(rows), rows.length];
    const prepared =
      this.metric.preparePair?.(columns, n, this.context) ??
      preparedOneByOne(n, this.metric.prepare(columns, n, this.context));
    return pairColumns(groupOf, groups, prepared);
  }

  reader(): (rows: Int32Array) => number {
    const times = new Uint8Array(this.examples);
    const prepared = this.metric.prepare(this.columns.view(), this.examples, this.context);
    return (rows) => {
      for (const row of rows) times[row] = 1;
      const value = prepared(times);
      for (const row of rows) times[row] = 0;
      return value;
    };
  }

  private picked(rows: Int32Array | null): Float64Array {
    const columns = this.columns.view();
    if (!rows) return columns;

    const picked = new Float64Array(rows.length * this.width);
    for (const [index, row] of rows.entries()) {
      picked.set(columns.subarray(row * this.width, (row + 1) * this.width), index * this.width);
    }
    return picked;
  }
}
