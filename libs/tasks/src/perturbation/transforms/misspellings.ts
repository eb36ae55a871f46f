import { ANY_OUTPUT, capitalisedLike, eachText, someWords, type Transform } from '../transform.js';
import { MISSPELLINGS } from '../words/misspellings.js';

/** Misspells half of the words that are often misspelled, in a common way. */
export const misspellings: Transform = {
  name: 'misspellings',
  version: 1,
  languages: ['en'],
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.5, 3, (word, rng) => {
      const known = MISSPELLINGS.get(word.toLowerCase());
      return known ? capitalisedLike(word, known[rng.below(known.length)]!) : null;
    }),
  ),
};
