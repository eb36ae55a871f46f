import type { FigureMark } from '@assay/scoring';

/** Figures for a program or a paper: the same table as CSV and as LaTeX. */
export interface Table {
  /** What the figures are: task, benchmark version, revision, date. */
  readonly caption: string;
  /** What a reader must know beside the figures. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  /** Groups of rows, with a line between them; a cell for each column. */
  readonly groups: readonly (readonly Row[])[];
  /** More rows, in CSV alone. */
  readonly details?: readonly Row[];
  /** What holds for every row and stands in the caption or the notes: columns of their own in CSV, which has neither. */
  readonly throughout: readonly { readonly name: string; readonly value: string }[];
}

/**
 * - `text`, `number`: a column
 * - `interval`: in CSV three columns, the value, `<name>_low` and `<name>_high`; in LaTeX one, value ± half of the interval
 * - `range`: the same, in LaTeX as value (low–high): a rank
 */
export type ColumnKind = 'text' | 'number' | 'interval' | 'range';

/** The unit of a metric; or `score` (a Dynascore), `count`, `p` (of a test), `text`. */
export type ColumnUnit = 'ratio' | 'nat' | 'value' | 'examples/s' | 'ms' | 'GiB' | 'score' | 'count' | 'p' | 'text';

export interface Column {
  /** For programs, as the API names it. */
  readonly name: string;
  /** For people, without the unit. */
  readonly title: string;
  readonly kind: ColumnKind;
  readonly unit: ColumnUnit;
  /** Left out of LaTeX. */
  readonly csvOnly?: boolean;
  /** Its figures may have marks: in CSV they are named in a column `<name>_marks`, in LaTeX they precede the figure. */
  readonly marked?: true;
}

export type Row = readonly Cell[];
/** Null: nothing is known, or it does not apply. */
export type Cell = string | Figure | null;

/** A number in full precision, in the unit of its column. */
export interface Figure {
  readonly value: number;
  /** Its 95% interval, where one is known. */
  readonly low?: number | null;
  readonly high?: number | null;
  readonly marks?: readonly FigureMark[];
}
