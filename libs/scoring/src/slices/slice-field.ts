import { DomainError, remembered } from '@assay/kernel';
import { ClusterNumbers } from '../cluster-numbers.js';
import { integers, type GrowableColumn } from '../growable-column.js';

/** A field whose values are slices. */
export interface Slicing {
  readonly field: string;
  /**
   * The match field. Its values are groups of examples that differ only in the slice; only groups
   * that contain every slice equally often are compared.
   */
  readonly match?: string;
}

/** A field with more distinct values is free text rather than a field of slices. */
const MAXIMUM_SLICES = 10_000;
/** The group number of an example without a group. */
export const NO_GROUP = -1;

/**
 * The examples in each slice of one field. Takes 4 bytes per example and slice, and 4 bytes per
 * example for its group if slices are matched.
 */
export class SliceField {
  private readonly members = new Map<string, GrowableColumn<Int32Array>>();
  private readonly groupNumbers = new ClusterNumbers();
  private readonly groups = integers();

  constructor(readonly slicing: Slicing) {}

  /**
   * The numbers of the examples of each slice, ascending. Slices are in the order of their first
   * example.
   */
  get slices(): ReadonlyMap<string, GrowableColumn<Int32Array>> {
    return this.members;
  }

  /** Per example, the number of its group or `NO_GROUP`; null if slices are not matched. */
  get groupOf(): Int32Array | null {
    return this.slicing.match === undefined ? null : this.groups.view();
  }

  /**
   * Adds the values of example number `example`.
   *
   * @throws DomainError `too_many_slices` if the field has more than 10,000 distinct values
   */
  add(example: number, values: readonly string[], group: string | null): void {
    for (const value of new Set(values)) if (value !== '') this.slice(value).push(example);
    if (this.slicing.match === undefined) return;
    this.groups.push(group === null || group === '' ? NO_GROUP : this.groupNumbers.of(group));
  }

  private slice(value: string): GrowableColumn<Int32Array> {
    return remembered(this.members, value, () => {
      if (this.members.size < MAXIMUM_SLICES) return integers();
      const message = `The field "${this.slicing.field}" has too many values to slice by: the limit is ${MAXIMUM_SLICES}.`;
      throw new DomainError('invalid', 'too_many_slices', message);
    });
  }
}
