import { type Rng, seededRng } from '@assay/kernel';

/**
 * `fooling`: it fooled the target models; `other`: it did not, or that is not known; `check`: a
 * gold check that the owner added, with a known label.
 */
const ITEM_KINDS = ['fooling', 'other', 'check'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];
export type KindCounts = Readonly<Record<ItemKind, number>>;

/** Returns the sums of counts by kind. */
export function countsOf(counts: readonly { readonly kind: ItemKind; readonly count: number }[]): KindCounts {
  const sums = { fooling: 0, other: 0, check: 0 };
  for (const { kind, count } of counts) sums[kind] += count;
  return sums;
}

/** One item in this many is a gold check, as long as checks are left. */
const CHECK_EVERY = 10;

/**
 * Returns the kind of the next item for a validator, or null if nothing is left for them.
 *
 * Gold checks aside, the share of `other` among the assigned items never falls below `nonFooling`
 * while such examples are left. Beyond that, every remaining example is equally likely. The first
 * check is at one of the positions 2 to 10, which depends on `person`. A validator who runs out of
 * examples before that position still gets one check, provided that they had at least one example.
 * @param seen items assigned to the validator in this round so far, by kind
 * @param left items that may be assigned to the validator, by kind
 * @param person seed that identifies the validator and the round
 */
export function nextKind(
  { seen, left, nonFooling }: { readonly seen: KindCounts; readonly left: KindCounts; readonly nonFooling: number },
  person: string,
  rng: Rng,
): ItemKind | null {
  const examplesLeft = left.fooling + left.other;
  const handed = seen.fooling + seen.other + seen.check;
  const checksDue = Math.floor((handed + 1 + seededRng(person).below(CHECK_EVERY)) / CHECK_EVERY);
  if (left.check > 0 && seen.check < (examplesLeft > 0 ? checksDue : 1) && handed > 0) return 'check';
  if (examplesLeft === 0) return null;

  if (left.other === 0) return 'fooling';
  if (left.fooling === 0 || seen.other < nonFooling * (seen.fooling + seen.other + 1)) return 'other';
  return rng.below(examplesLeft) < left.fooling ? 'fooling' : 'other';
}
