import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { bytes, integers, numbers } from '../growable-column.js';
import { resampledEstimate } from '../intervals/bootstrap.js';
import type { MetricContext, MetricExample, SumsMetric } from '../metric.js';
import {
  type Contributions,
  pairSums,
  type PairStatistic,
  type Statistic,
  sumsStatistic,
} from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { everyRow, type RecordedMetric } from './recorded-metric.js';

/**
 * The non-zero contributions of each example to the sums of a metric: 4 bytes per example and 9 per
 * number (12 if there are more than 256 sums).
 */
export class RecordedSums implements RecordedMetric {
  private readonly width: number;
  private readonly scratch: Float64Array;
  private readonly ends = integers();
  private readonly at;
  private readonly amount = numbers();

  constructor(
    readonly metric: SumsMetric,
    private readonly context: MetricContext,
  ) {
    this.width = metric.width(context);
    this.scratch = new Float64Array(this.width);
    this.at = this.width <= 256 ? bytes() : integers();
    this.ends.push(0);
  }

  add(example: MetricExample): void {
    this.scratch.fill(0);
    this.metric.contribute(example, this.scratch, 0, this.context);
    for (let sum = 0; sum < this.width; sum++) {
      if (this.scratch[sum] === 0) continue;
      this.at.push(sum);
      this.amount.push(this.scratch[sum]!);
    }
    this.ends.push(this.amount.length);
  }

  *estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate> {
    if (this.metric.band) {
      const contributions = this.contributions(rows ?? everyRow(this.ends.length - 1));
      const value = this.reader()(rows ?? everyRow(this.ends.length - 1));
      return {
        ...bareEstimate(value),
        ...(Number.isNaN(value) ? {} : { band: this.metric.band(contributions, seed) }),
      };
    }
    return yield* resampledEstimate(
      (groupOf) => this.statistic(rows, groupOf),
      rows?.length ?? this.ends.length - 1,
      clusters,
      seed,
      this.metric,
    );
  }

  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic {
    const contributions = this.contributions(rows ?? everyRow(this.ends.length - 1));
    return sumsStatistic(contributions, groupOf, (sums) => this.metric.fromSums(sums, this.context));
  }

  reader(): (rows: Int32Array) => number {
    const [ends, at, amount] = [this.ends.view(), this.at.view(), this.amount.view()];
    const sums = new Float64Array(this.width);
    return (rows) => {
      sums.fill(0);
      for (const row of rows) {
        for (let entry = ends[row]!; entry < ends[row + 1]!; entry++) sums[at[entry]!]! += amount[entry]!;
      }
      return this.metric.fromSums(sums, this.context);
    };
  }

  /** Returns the metric of two models, as `pairSums` does; `rows` are the interleaved examples of both. */
  pair(rows: Int32Array, groupOf: Int32Array, groups: number): PairStatistic {
    return pairSums(this.contributions(rows), groupOf, groups, (sums, into) => {
      into[0] = this.metric.fromSums(sums, this.context);
    });
  }

  private contributions(rows: Int32Array): Contributions {
    const [ends, at, amount] = [this.ends.view(), this.at.view(), this.amount.view()];
    const start = new Int32Array(rows.length + 1);
    for (const [index, row] of rows.entries()) start[index + 1] = start[index]! + ends[row + 1]! - ends[row]!;

    const picked = { at: new Int32Array(start[rows.length]!), amount: new Float64Array(start[rows.length]!) };
    for (const [index, row] of rows.entries()) {
      picked.at.set(at.subarray(ends[row], ends[row + 1]), start[index]);
      picked.amount.set(amount.subarray(ends[row], ends[row + 1]), start[index]);
    }
    return { width: this.width, start, ...picked };
  }
}
