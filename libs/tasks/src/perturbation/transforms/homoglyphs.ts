import { ANY_OUTPUT, eachText, someWords, type Transform } from '../transform.js';
import { HOMOGLYPHS } from '../words/homoglyphs.js';

/**
 * In one of five words, replaces letters with look-alikes from another alphabet: at least one, and
 * each further letter that has a look-alike with probability 0.5.
 */
export const homoglyphs: Transform = {
  name: 'homoglyphs',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.2, 2, (word, rng) => {
      const letters = Array.from(word);
      const places = letters.flatMap((letter, place) => (HOMOGLYPHS.has(letter) ? [place] : []));
      if (places.length === 0) return null;
      const certain = places[rng.below(places.length)]!;
      const chosen = new Set(places.filter((place) => place === certain || rng.next() < 0.5));
      return letters.map((letter, place) => (chosen.has(place) ? HOMOGLYPHS.get(letter)! : letter)).join('');
    }),
  ),
};
