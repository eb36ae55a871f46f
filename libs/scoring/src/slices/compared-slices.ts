import { NO_GROUP, type SliceField } from './slice-field.js';

/** Fewer examples than this say nothing about a slice: it is reported and not compared. */
export const MINIMUM_SLICE = 30;

export interface ComparedSlice {
  readonly name: string;
  /** Numbers of its examples, ascending. */
  readonly rows: Int32Array;
}

/** The slices of a field that can be compared, and among which examples. */
export interface ComparedSlices {
  /** Of at least 30 examples each, by name. */
  readonly slices: readonly ComparedSlice[];
  /** The examples that the slices are compared within, ascending: all, or those of the groups that are matched. */
  readonly rows: Int32Array;
  /** Where slices are matched: per entry of `rows` the number of its group in [0, groups). */
  readonly matched: { readonly groups: number; readonly groupOf: Int32Array } | null;
}

/**
 * The slices of a field that can be compared. Where they are matched, within the groups that hold each of them, and each equally often: so every
 * slice has the same mixture of groups, and differs in the slice alone.
 */
export function comparedSlices(field: SliceField, examples: number): ComparedSlices {
  const slices = Array.from(field.slices, ([name, members]) => ({ name, rows: members.view() }))
    .filter(({ rows }) => rows.length >= MINIMUM_SLICE)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (!field.groupOf) return { slices, rows: Int32Array.from({ length: examples }, (_, row) => row), matched: null };

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

/** The groups that hold every slice equally often, numbered by group. */
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
