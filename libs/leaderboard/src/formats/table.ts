import type { FigureMark } from '@assay/scoring/marks';
import type { Unit } from '@assay/scoring/metrics';

/** A table of figures for programs (CSV) and papers (LaTeX). */
export interface Table {
  /** Identifies the figures: task, benchmark version, revision, date. */
  readonly caption: string;
  /** Notes that a reader needs to interpret the figures. */
  readonly notes: readonly string[];
  readonly columns: readonly Column[];
  /** Groups of rows, separated by rules. Each row has a cell for each column. */
  readonly groups: readonly (readonly Row[])[];
  /** Additional rows, in CSV only. */
  readonly details?: readonly Row[];
  /**
   * Values that hold for every row and are part of the caption or the notes. CSV has neither, so
   * there they are columns.
   */
  readonly throughout: readonly { readonly name: string; readonly value: string }[];
}

/**
 * - `text`, `number`: one column
 * - `interval`: in CSV three columns, the value, `<name>_low` and `<name>_high`; in LaTeX one,
 *   value ± half of the interval
 * - `range`: the same in CSV; in LaTeX value (low–high), for ranks
 */
export type ColumnKind = 'text' | 'number' | 'interval' | 'range';

/** The unit of a metric; or `score` (Dynascore), `count`, `p` (p-value of a test), `text`. */
export type ColumnUnit = Unit | 'score' | 'count' | 'p' | 'text';

export interface Column {
  /** The name for programs, as in the API. */
  readonly name: string;
  /** The title for people, without the unit. */
  readonly title: string;
  readonly kind: ColumnKind;
  readonly unit: ColumnUnit;
  /** True if LaTeX omits the column. */
  readonly csvOnly?: boolean;
  /**
   * True if the figures may have marks. In CSV they are in a column `<name>_marks`, in LaTeX they
   * precede the figure.
   */
  readonly marked?: true;
}

export type Row = readonly Cell[];
/** Null if unknown or not applicable. */
export type Cell = string | Figure | null;

/** A number in full precision, in the unit of its column. */
export interface Figure {
  readonly value: number;
  /** The bounds of its 95% interval, if known. */
  readonly low?: number | null;
  readonly high?: number | null;
  readonly marks?: readonly FigureMark[];
}
