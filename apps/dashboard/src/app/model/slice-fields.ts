import type { Evaluation, SliceResult, SliceSpread } from '@assay/api-client/angular';

/** The smallest slice, in examples, for which the API compares the spread with chance. */
export const ENOUGH = 30;

export interface SliceRow {
  readonly value: string;
  readonly slice: SliceResult;
  /** True if the slice has fewer than `ENOUGH` examples. */
  readonly isSmall: boolean;
}

/** A field by which examples are sliced, with its values, the largest slice first. */
export interface SliceField {
  readonly name: string;
  readonly rows: readonly SliceRow[];
  readonly spread: SliceSpread | undefined;
}

/** @param performance The metric whose spread is returned. */
export function sliceFields(
  { slices, sliceSpreads }: Pick<Evaluation, 'slices' | 'sliceSpreads'>,
  performance: string,
): readonly SliceField[] {
  return Object.entries(slices).map(([name, values]) => ({
    name,
    rows: Object.entries(values)
      .map(([value, slice]) => ({ value, slice, isSmall: slice.n < ENOUGH }))
      .toSorted((one, other) => other.slice.n - one.slice.n || one.value.localeCompare(other.value)),
    spread: sliceSpreads?.[name]?.[performance],
  }));
}
