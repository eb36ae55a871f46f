import { seededRng } from '@assay/kernel';
import type { Clusters, Estimate } from '../estimate.js';
import { integers } from '../growable-column.js';
import { labelEstimate } from '../intervals/bootstrap.js';
import { cellTable, LabelCells, labelCountsOf, NO_LABEL } from '../label-cells.js';
import type { LabelMetric, MetricExample } from '../metric.js';
import { Numbering } from '../numbering.js';
import { sumsStatistic, type Contributions, type Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { pick, type RecordedMetric } from './recorded-metric.js';

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
}

/** A label metric with the answers that it shares with the other label metrics. */
export class RecordedLabels implements RecordedMetric {
  constructor(
    readonly metric: LabelMetric,
    private readonly answers: LabelAnswers,
  ) {}

  /** Does nothing, because `RecordedMetrics` adds each example to the shared answers. */
  add(): void {}

  *estimate(rows: Int32Array | null, clusters: Clusters | null, seed: string): Work<Estimate> {
    const table = cellTable(this.answers.cells, pick(this.answers.view(), rows));
    const rng = seededRng(`${seed}/${this.metric.name}`);
    return labelEstimate((counts) => this.metric.fromLabels(counts), table, clusters, rng);
  }

  statistic(rows: Int32Array | null, groupOf: Int32Array): Statistic {
    const table = cellTable(this.answers.cells, pick(this.answers.view(), rows));
    const countsOf = labelCountsOf(table);
    const contributions: Contributions = {
      width: table.cells,
      start: Int32Array.from({ length: table.of.length + 1 }, (_, index) => index),
      at: table.of,
      amount: new Float64Array(table.of.length).fill(1),
    };
    return sumsStatistic(contributions, groupOf, (counts) => this.metric.fromLabels(countsOf(counts)));
  }

  reader(): (rows: Int32Array) => number {
    const { gold, predicted } = this.answers.cells;
    const cellOf = this.answers.view();
    const counts = new Float64Array(gold.length);

    return (rows) => {
      counts.fill(0);
      for (let index = 0; index < rows.length; index++) counts[cellOf[rows[index]!]!]!++;
      return this.metric.fromLabels(occurringLabels(counts, gold, predicted));
    };
  }
}

/** Converts counts per cell to counts per label, over the labels that occur. */
function occurringLabels(counts: Float64Array, gold: readonly number[], predicted: readonly number[]) {
  const places = new Numbering<number>();
  const support: number[] = [];
  const answered: number[] = [];
  const hits: number[] = [];
  const add = (to: number[], label: number, count: number): void => {
    to[label] = (to[label] ?? 0) + count;
  };
  let n = 0;
  for (let cell = 0; cell < counts.length; cell++) {
    const count = counts[cell]!;
    if (count === 0) continue;
    n += count;
    const expected = places.of(gold[cell]!);
    add(support, expected, count);
    const answer = predicted[cell]!;
    if (answer === NO_LABEL) continue;
    const given = places.of(answer);
    add(answered, given, count);
    if (given === expected) add(hits, expected, count);
  }
  const column = (of: readonly number[]) => Float64Array.from({ length: places.size }, (_, label) => of[label] ?? 0);
  return { n, support: column(support), predicted: column(answered), hits: column(hits) };
}
