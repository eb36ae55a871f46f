import { ANY_OUTPUT, eachText, someWords, type Transform } from '../transform.js';

/** Splits one of ten words in two. */
export const splitWords: Transform = {
  name: 'split_words',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.1, 5, (word, rng) => {
      const letters = word.match(/\p{L}\p{M}*/gu) ?? [];
      if (letters.length < 5) return null;
      const at = 2 + rng.below(letters.length - 3);
      return `${letters.slice(0, at).join('')} ${letters.slice(at).join('')}`;
    }),
  ),
};
