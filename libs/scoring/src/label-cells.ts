import type { LabelCounts } from './label-counts.js';

/** No label: what an example without an answer was answered with. */
export const NO_LABEL = -1;

/**
 * The cells of a confusion matrix that occur, numbered as they come: cell k is gold label `gold[k]` answered with label `predicted[k]`. So an
 * example of a label task is one integer, whatever its texts.
 */
export class LabelCells {
  readonly gold: number[] = [];
  readonly predicted: number[] = [];
  private readonly labels = new Map<string, number>();
  private readonly numbers = new Map<number, number>();

  /** The cell of an example. Of several acceptable labels the one that was answered counts as its gold, else the first. */
  cellOf(gold: readonly string[], predicted: string | null): number {
    const expected = predicted !== null && gold.includes(predicted) ? predicted : gold[0];
    if (expected === undefined) throw new RangeError('an example of a label task needs a gold label');

    return this.numberOf(this.labelOf(expected), predicted === null ? NO_LABEL : this.labelOf(predicted));
  }

  private labelOf(name: string): number {
    let label = this.labels.get(name);
    if (label === undefined) {
      label = this.labels.size;
      this.labels.set(name, label);
    }
    return label;
  }

  private numberOf(gold: number, predicted: number): number {
    const key = gold * 0x4000000 + predicted + 1;
    let cell = this.numbers.get(key);
    if (cell === undefined) {
      cell = this.gold.length;
      this.gold.push(gold);
      this.predicted.push(predicted);
      this.numbers.set(key, cell);
    }
    return cell;
  }
}

/** The cells that occur in one group of examples, renumbered densely, over the union of the labels of that group. */
export interface CellTable {
  /** Per example, its cell in [0, cells). */
  readonly of: Int32Array;
  readonly cells: number;
  readonly labels: number;
  /** Per cell, its gold label in [0, labels). */
  readonly gold: Int32Array;
  /** Per cell, the label answered, or `NO_LABEL`. */
  readonly predicted: Int32Array;
}

/** The table of a group of examples, given their cells in `cells`' numbering. */
export function cellTable(cells: LabelCells, of: Int32Array): CellTable {
  const renumbered = new Int32Array(cells.gold.length).fill(-1);
  const local = new Int32Array(of.length);
  const occurring: number[] = [];
  for (let index = 0; index < of.length; index++) {
    const cell = of[index]!;
    if (renumbered[cell] === -1) renumbered[cell] = occurring.push(cell) - 1;
    local[index] = renumbered[cell]!;
  }

  const labels = new Map<number, number>();
  const labelOf = (label: number): number => {
    if (label === NO_LABEL) return NO_LABEL;
    const known = labels.get(label) ?? labels.size;
    labels.set(label, known);
    return known;
  };
  const gold = Int32Array.from(occurring, (cell) => labelOf(cells.gold[cell]!));
  const predicted = Int32Array.from(occurring, (cell) => labelOf(cells.predicted[cell]!));
  return { of: local, cells: occurring.length, labels: labels.size, gold, predicted };
}

/** A reader of counts per cell as counts per label. It gives one object again and again: nothing is allocated per resample. */
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
