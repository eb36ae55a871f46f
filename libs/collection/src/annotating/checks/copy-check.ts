import { comparable, shingles } from './minhash.js';

/**
 * The minimum length, in characters of comparable text, for the overlap test. Shorter texts must
 * equal the source to count as a copy.
 */
const FEWEST_CHARACTERS = 25;
/** The share of the written text's shingles found in the source from which it counts as a copy. */
const COPIED_SHARE = 0.95;

/**
 * Returns whether the written text is a copy, or a nearly unchanged copy, of one of the sources.
 */
export function isCopied(written: string, sources: readonly string[]): boolean {
  const text = comparable(written);
  if (text.length < FEWEST_CHARACTERS) return sources.some((source) => comparable(source) === text);
  const pieces = shingles(written);
  return sources.some((source) => {
    if (comparable(source).includes(text)) return true;
    const theirs = shingles(source);
    const shared = [...pieces].filter((piece) => theirs.has(piece)).length;
    // a long source contains the shingles of almost any text: only a source of about the same
    // length can have been copied with a change
    return shared / pieces.size >= COPIED_SHARE && theirs.size < 4 * pieces.size;
  });
}
