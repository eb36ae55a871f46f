import { ANY_OUTPUT, eachText, someWords, type Transform } from '../transform.js';

/** In one of ten words, swaps two adjacent letters or drops one. The first and last letter stay. */
export const swaps: Transform = {
  name: 'swaps',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.1, 4, (word, rng) => {
      const letters = word.match(/\p{L}\p{M}*/gu) ?? [];
      if (letters.length < 4) return null;
      const at = 1 + rng.below(letters.length - 3);
      const [one, other] = [letters[at]!, letters[at + 1]!];
      const between = rng.below(2) === 0 || one === other ? other : `${other}${one}`;
      return `${letters.slice(0, at).join('')}${between}${letters.slice(at + 2).join('')}`;
    }),
  ),
};
