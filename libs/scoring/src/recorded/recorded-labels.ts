import { seededRng } from '@assay/kernel';
import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { integers } from '../growable-column.js';
import { labelEstimate, resampledEstimate } from '../intervals/bootstrap.js';
import { type CellTable, cellTable, goldTable, LabelCells, labelCountsOf, NO_LABEL } from '../label-cells.js';
import type { LabelCounts } from '../label-counts.js';
import { proportionEstimate } from '../intervals/wilson.js';
import type { LabelMetric, MetricExample } from '../metric.js';
import { Numbering } from '../numbering.js';
import { sumsStatistic, type Contributions, type Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { pick, type RecordedMetric } from './recorded-metric.js';

/** The labels that count: those that occur in gold or answers, or those in gold alone. */
export type CountedLabels = 'occurring' | 'gold';

/**
 * The gold and predicted label of each example as one cell, 4 bytes, stored once for all label
 * metrics.
 */
export class LabelAnswers {
  readonly cells = new LabelCells();
  private readonly cellOf = integers();

  add({ gold, predicted }: MetricExample): void {
    this.cellOf.push(this.cells.cellOf(gold, predicted));
  }

  /** Returns the cell of each example. */
  view(): Int32Array {
    return this.cellOf.view();
  }

  /** Returns the cells of these examples, as contributions of 1 to the count of each cell. */
  table(
    rows: Int32Array | null,
    labels: CountedLabels,
  ): { readonly table: CellTable; readonly contributions: Contributions } {
    const all = cellTable(this.cells, pick(this.view(), rows));
    const table = labels === 'gold' ? goldTable(all) : all;
    const contributions: Contributions = {
      width: table.cells,
      start: Int32Array.from({ length: table.of.length + 1 }, (_, index) => index),
      at: table.of,
      amount: new Float64Array(table.of.length).fill(1),
    };
    return { table, contributions };
  }
}

/** A label metric with the answers that it shares with the other label metrics. */
export class RecordedLabels implements RecordedMetric {
  constructor(
    readonly metric: LabelMetric,
    private readonly answers: LabelAnswers,
    readonly labels: CountedLabels = 'occurring',
  ) {}

  get onSlice(): RecordedLabels {
    return new RecordedLabels(this.metric, this.answers, this.metric.onSlices ?? 'occurring');
  }

  /** Does nothing, because `RecordedMetrics` adds each example to the shared answers. */
  add(): void {}

  *estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate> {
    const { table } = this.answers.table(rows, this.labels);
    if (!this.isDefinedFor(table.labels)) return bareEstimate(NaN);

    const rng = seededRng(`${seed}/${this.metric.name}`);
    if (this.metric.interval === 'accuracy' && table.predicted.every((label) => label !== NO_LABEL)) {
      return proportionEstimate(
        table.of.map((cell) => (table.gold[cell] === table.predicted[cell] ? 1 : 0)),
        clusters,
      );
    }
    if (clusters?.crossed) {
      const statisticOf = (groupOf: Int32Array): Statistic => this.statistic(rows, groupOf);
      return yield* resampledEstimate(statisticOf, table.of.length, clusters, seed, this.metric, supportOf(table));
    }
    return labelEstimate((counts) => this.metric.fromLabels(counts), table, clusters, rng, this.metric);
  }

  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic {
    const { table, contributions } = this.answers.table(rows, this.labels);
    if (!this.isDefinedFor(table.labels)) return () => NaN;

    const countsOf = labelCountsOf(table);
    return sumsStatistic(contributions, groupOf, (counts) => this.metric.fromLabels(countsOf(counts)));
  }

  reader(): (rows: Int32Array) => number {
    const { gold, predicted } = this.answers.cells;
    const cellOf = this.answers.view();
    const counts = new Float64Array(gold.length);

    return (rows) => {
      counts.fill(0);
      for (let index = 0; index < rows.length; index++) counts[cellOf[rows[index]!]!]!++;
      const occurring = labelCounts(counts, gold, predicted, this.labels);
      return this.isDefinedFor(occurring.support.length) ? this.metric.fromLabels(occurring) : NaN;
    };
  }

  /** Returns whether the metric has a value on examples with this many labels that count. */
  isDefinedFor(labels: number): boolean {
    return this.labels === 'occurring' || labels > 1;
  }
}

/** Returns the number of examples per gold label. */
function supportOf({ of, gold, labels }: CellTable): Float64Array {
  const support = new Float64Array(labels);
  for (const cell of of) support[gold[cell]!]! += 1;
  return support;
}

/**
 * Converts counts per cell to counts per label, over the labels that occur in gold or answers, or
 * in gold alone.
 */
function labelCounts(
  counts: Float64Array,
  gold: readonly number[],
  predicted: readonly number[],
  labels: CountedLabels,
): LabelCounts {
  const cells = Array.from(counts.keys()).filter((cell) => counts[cell]! > 0);
  const places = new Numbering<number>();
  for (const cell of cells) places.of(gold[cell]!);
  if (labels === 'occurring') {
    for (const cell of cells) if (predicted[cell] !== NO_LABEL) places.of(predicted[cell]!);
  }
  const [support, answered, hits] = Array.from({ length: 3 }, () => new Float64Array(places.size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let n = 0;
  for (const cell of cells) {
    const count = counts[cell]!;
    n += count;
    const expected = places.get(gold[cell]!)!;
    support[expected]! += count;
    const given = places.get(predicted[cell]!);
    if (given === undefined) continue;
    answered[given]! += count;
    if (given === expected) hits[expected]! += count;
  }
  return { n, support, predicted: answered, hits };
}
