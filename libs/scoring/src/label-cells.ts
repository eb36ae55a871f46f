import type { LabelCounts } from './label-counts.js';
import { numberedIn, Numbering } from './numbering.js';

/** The label number of an example without an answer. */
export const NO_LABEL = -1;

/**
 * The cells of a confusion matrix that occur, numbered in order of appearance. Cell k is gold label
 * `gold[k]` answered with label `predicted[k]`. An example of a label task is therefore one
 * integer, however long its texts.
 */
export class LabelCells {
  readonly gold: number[] = [];
  readonly predicted: number[] = [];
  private readonly labels = new Numbering<string>();
  private readonly numbers = new Numbering<number>();

  /**
   * Returns the cell of an example. If there are several acceptable labels, its gold is the one
   * that was answered, otherwise the first.
   *
   * @throws RangeError without a gold label
   */
  cellOf(gold: readonly string[], predicted: string | null): number {
    const expected = predicted !== null && gold.includes(predicted) ? predicted : gold[0];
    if (expected === undefined) throw new RangeError('an example of a label task needs a gold label');

    return this.numberOf(this.labels.of(expected), predicted === null ? NO_LABEL : this.labels.of(predicted));
  }

  private numberOf(gold: number, predicted: number): number {
    const cell = this.numbers.of(gold * 0x4000000 + predicted + 1);
    if (cell === this.gold.length) {
      this.gold.push(gold);
      this.predicted.push(predicted);
    }
    return cell;
  }
}

/** The cells of one group of examples, renumbered densely, over the union of the group's labels. */
export interface CellTable {
  /** Per example, its cell in [0, cells). */
  readonly of: Int32Array;
  readonly cells: number;
  readonly labels: number;
  /** Per cell, its gold label in [0, labels). */
  readonly gold: Int32Array;
  /** Per cell, the answered label, or `NO_LABEL`. */
  readonly predicted: Int32Array;
}

/**
 * Returns the table of a group of examples.
 *
 * @param of per example, its cell in the numbering of `cells`
 */
export function cellTable(cells: LabelCells, of: Int32Array): CellTable {
  const { of: local, occurring } = numberedIn(new Int32Array(cells.gold.length).fill(-1), of);
  const labels = new Numbering<number>();
  const labelOf = (label: number): number => (label === NO_LABEL ? NO_LABEL : labels.of(label));
  const gold = Int32Array.from(occurring, (cell) => labelOf(cells.gold[cell]!));
  const predicted = Int32Array.from(occurring, (cell) => labelOf(cells.predicted[cell]!));
  return { of: local, cells: occurring.length, labels: labels.size, gold, predicted };
}

/**
 * Returns the table over only those labels that are the gold of some example. Any other answer
 * becomes `NO_LABEL`.
 */
export function goldTable(table: CellTable): CellTable {
  const labels = new Numbering<number>();
  const gold = table.gold.map((label) => labels.of(label));
  const predicted = table.predicted.map((label) => labels.get(label) ?? NO_LABEL);
  return { ...table, labels: labels.size, gold, predicted };
}

/**
 * Returns a function that converts counts per cell to counts per label. It reuses its arrays, so
 * that nothing large is allocated per resample.
 */
export function labelCountsOf(table: CellTable): (counts: Float64Array) => LabelCounts {
  const support = new Float64Array(table.labels);
  const predicted = new Float64Array(table.labels);
  const hits = new Float64Array(table.labels);

  return (counts) => {
    support.fill(0);
    predicted.fill(0);
    hits.fill(0);
    let n = 0;
    for (let cell = 0; cell < table.cells; cell++) {
      const count = counts[cell]!;
      const gold = table.gold[cell]!;
      const answer = table.predicted[cell]!;
      n += count;
      support[gold]! += count;
      if (answer !== NO_LABEL) predicted[answer]! += count;
      if (answer === gold) hits[gold]! += count;
    }
    return { n, support, predicted, hits };
  };
}
