import { comparable, shingles } from './minhash.js';

/** A shorter text says little of its own, wherever it comes from. */
const FEWEST_CHARACTERS = 25;
/** Share of the pieces of what was written that stand in the source, from which it is a copy. */
const COPIED_SHARE = 0.95;

/** Whether what was written stands in one of the texts already. */
export function isCopied(written: string, sources: readonly string[]): boolean {
  const text = comparable(written);
  if (text.length < FEWEST_CHARACTERS) return sources.some((source) => comparable(source) === text);
  const pieces = shingles(written);
  return sources.some((source) => {
    if (comparable(source).includes(text)) return true;
    const theirs = shingles(source);
    const shared = [...pieces].filter((piece) => theirs.has(piece)).length;
    // of a long source pieces of everything stand somewhere: only what is about as long can be a copy with a change
    return shared / pieces.size >= COPIED_SHARE && theirs.size < 4 * pieces.size;
  });
}
