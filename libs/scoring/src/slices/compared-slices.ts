import { everyRow } from '../recorded/recorded-metric.js';
import { NO_GROUP, type SliceField } from './slice-field.js';

/**
 * The minimum number of examples for a comparison. A smaller slice is reported but not compared.
 */
export const MINIMUM_SLICE = 30;

export interface ComparedSlice {
  readonly name: string;
  /** The numbers of its examples, ascending. */
  readonly rows: Int32Array;
}

/** The slices of a field that can be compared, and the examples within which they are compared. */
export interface ComparedSlices {
  /** Slices with at least 30 examples, sorted by name. */
  readonly slices: readonly ComparedSlice[];
  /**
   * The examples within which the slices are compared, ascending: all of them, or those in matched
   * groups.
   */
  readonly rows: Int32Array;
  /**
   * If slices are matched: the number of groups and, per entry of `rows`, its group in [0, groups).
   */
  readonly matched: { readonly groups: number; readonly groupOf: Int32Array } | null;
}

/**
 * Returns the slices of a field that can be compared. Matched slices are compared only within the
 * groups that contain every slice equally often. All slices then have the same mixture of groups,
 * so only the slice itself makes a difference.
 */
export function comparedSlices(field: SliceField, examples: number): ComparedSlices {
  const slices = Array.from(field.slices, ([name, members]) => ({ name, rows: members.view() }))
    .filter(({ rows }) => rows.length >= MINIMUM_SLICE)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (!field.groupOf) return { slices, rows: everyRow(examples), matched: null };

  const { numbers, groups } = balancedGroups(slices, field.groupOf);
  const isMatched = (row: number): boolean => numbers[field.groupOf![row]!] !== undefined;
  const rows = Int32Array.from(field.groupOf.keys()).filter(isMatched);
  return {
    slices: slices
      .map(({ name, rows: members }) => ({ name, rows: members.filter(isMatched) }))
      .filter(({ rows: members }) => members.length >= MINIMUM_SLICE),
    rows,
    matched: { groups, groupOf: rows.map((row) => numbers[field.groupOf![row]!]!) },
  };
}

/** Numbers the groups that contain every slice equally often, in ascending order. */
function balancedGroups(slices: readonly ComparedSlice[], groupOf: Int32Array) {
  const known = groupOf.reduce((most, group) => Math.max(most, group + 1), 0);
  const counts = slices.map(({ rows }) => {
    const count = new Int32Array(known);
    for (const row of rows) if (groupOf[row] !== NO_GROUP) count[groupOf[row]!]!++;
    return count;
  });
  const numbers: (number | undefined)[] = [];
  let groups = 0;
  for (let group = 0; group < known; group++) {
    const often = counts[0]?.[group] ?? 0;
    if (often > 0 && counts.every((count) => count[group] === often)) numbers[group] = groups++;
  }
  return { numbers, groups };
}
