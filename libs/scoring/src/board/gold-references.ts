import { labelSetReferences } from './label-set-references.js';
import { type ReferenceRow, referenceRows } from './reference-rows.js';

/** Counts of the gold of a dataset. Neither is present for other outputs than labels. */
export interface GoldCounts {
  /** The number of examples per gold label, if the output is a label. */
  readonly goldCounts: Readonly<Record<string, number>> | null;
  /** The number of examples per set of gold labels (a sorted JSON list), if it is several labels. */
  readonly goldSets?: Readonly<Record<string, number>>;
}

/** Returns the reference rows majority and random of a dataset; none if its gold is not known. */
export function goldReferences(
  { goldCounts, goldSets }: GoldCounts,
  metrics: readonly string[],
): readonly ReferenceRow[] {
  if (goldCounts) return referenceRows(goldCounts, metrics);
  return goldSets ? labelSetReferences(goldSets, metrics) : [];
}
