import type { Rng } from '@assay/kernel';
import type { FreeWord } from '../people.js';
import { FIRST_NAMES, type FirstName } from '../words/first-names.js';

/**
 * Chooses a replacement from `candidates` for each first name among `words`. A name gets the same
 * replacement everywhere, no two names share one, and none is a word that already occurs. A name
 * without a free candidate is left unchanged.
 */
export function nameSwaps(
  words: readonly FreeWord[],
  candidates: (name: FirstName) => readonly string[],
  rng: Rng,
): ReadonlyMap<string, string> {
  const swaps = new Map<string, string>();
  const taken = new Set(words.map(({ word }) => word));
  for (const { word } of words) {
    const name = FIRST_NAMES.get(word);
    if (!name || swaps.has(word)) continue;
    const free = candidates(name).filter((each) => !taken.has(each));
    if (free.length === 0) continue;
    const chosen = free[rng.below(free.length)]!;
    swaps.set(word, chosen);
    taken.add(chosen);
  }
  return swaps;
}
