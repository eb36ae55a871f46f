import { ANY_OUTPUT, eachText, someWords, type Transform } from '../transform.js';

/**
 * Zero-width space and word joiner. They are invisible and, unlike the joiners U+200C and U+200D,
 * do not change how letters join.
 */
const INVISIBLE = ['\u200B', '\u2060'];

/** Inserts an invisible character into one of five words. */
export const zeroWidth: Transform = {
  name: 'zero_width',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.2, 2, (word, rng) => {
      // letters with their combining marks, so that an accent stays on its letter
      const letters = word.match(/\p{L}\p{M}*/gu) ?? [];
      if (letters.length < 2) return null;
      const at = 1 + rng.below(letters.length - 1);
      return `${letters.slice(0, at).join('')}${INVISIBLE[rng.below(INVISIBLE.length)]!}${letters.slice(at).join('')}`;
    }),
  ),
};
