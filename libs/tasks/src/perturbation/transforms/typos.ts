import type { Rng } from '@assay/kernel';
import { ANY_OUTPUT, capitalisedLike, eachText, primaryLanguage, someWords, type Transform } from '../transform.js';
import { KEYBOARDS } from '../words/keyboards.js';

/**
 * In one of ten words, replaces a letter with its neighbour on the keyboard. The first letter is
 * left alone, because people rarely mistype it.
 */
export const typos: Transform = {
  name: 'typos',
  version: 1,
  languages: [...KEYBOARDS.keys()],
  outputs: ANY_OUTPUT,
  apply: eachText(
    someWords(0.1, 4, (word, rng, language) => {
      const keyboard = KEYBOARDS.get(primaryLanguage(language));
      return keyboard ? slip(word, keyboard, rng) : null;
    }),
  ),
};

function slip(word: string, keyboard: ReadonlyMap<string, string>, rng: Rng): string | null {
  const places = Array.from(word, (_, place) => place).filter(
    (place) => place > 0 && keyboard.has(word[place]!.toLowerCase()),
  );
  const place = places[rng.below(places.length)];
  if (place === undefined) return null;
  const near = keyboard.get(word[place]!.toLowerCase())!;
  const key = near[rng.below(near.length)]!;
  return word.slice(0, place) + capitalisedLike(word[place]!, key) + word.slice(place + 1);
}
