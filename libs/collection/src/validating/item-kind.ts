import { type Rng, seededRng } from '@assay/kernel';

/** `fooling`: fooled the models; `other`: did not; `check`: put in by the owner, with a known label. */
export const ITEM_KINDS = ['fooling', 'other', 'check'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];
export type KindCounts = Readonly<Record<ItemKind, number>>;

/** One in so many examples is a check, while there are any. */
const CHECK_EVERY = 10;

/**
 * Of which kind the next item of a validator is. At every point at least the share `nonFooling` of what they were handed, checks apart, is of
 * those that fooled nobody, while there are any; beyond that each example that is left is as likely as another. The first check comes at a
 * place among the first ten that depends on `person`; who runs out of examples before gets one check all the same.
 * @param seen what they were handed in the round so far
 * @param left what may be handed to them
 * @param person whoever it is, in this round
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
