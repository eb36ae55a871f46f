import type { Rng } from '@assay/kernel';
import { ANY_OUTPUT, capitalisedLike, eachText, primaryLanguage, someWords, type Transform } from '../transform.js';
import { HOMOGLYPHS, KEYBOARDS } from '../words/letters.js';
import { MISSPELLINGS } from '../words/misspellings.js';

/**
 * Zero-width space and word joiner. They are invisible and, unlike the joiners U+200C and U+200D,
 * do not change how letters join.
 */
const INVISIBLE = ['\u200B', '\u2060'];

type OfWords = Pick<Transform, 'name'> & Partial<Pick<Transform, 'languages'>>;

/** Returns a transform that changes some words of each text, each on its own. */
const ofWords = ({ name, languages = 'any' }: OfWords, ...words: Parameters<typeof someWords>): Transform => ({
  name,
  version: 1,
  languages,
  outputs: ANY_OUTPUT,
  apply: eachText(someWords(...words)),
});

/** Returns the letters of a word with their combining marks, so that an accent stays on its letter. */
const lettersOf = (word: string): readonly string[] => word.match(/\p{L}\p{M}*/gu) ?? [];

/**
 * In one of five words, replaces letters with look-alikes from another alphabet: at least one, and
 * each further letter that has a look-alike with probability 0.5.
 */
export const homoglyphs = ofWords({ name: 'homoglyphs' }, 0.2, 2, (word, rng) => {
  const letters = Array.from(word);
  const places = letters.flatMap((letter, place) => (HOMOGLYPHS.has(letter) ? [place] : []));
  if (places.length === 0) return null;
  const certain = places[rng.below(places.length)]!;
  const chosen = new Set(places.filter((place) => place === certain || rng.next() < 0.5));
  return letters.map((letter, place) => (chosen.has(place) ? HOMOGLYPHS.get(letter)! : letter)).join('');
});

/** Misspells half of the words that are often misspelled, in a common way. */
export const misspellings = ofWords({ name: 'misspellings', languages: ['en'] }, 0.5, 3, (word, rng) => {
  const known = MISSPELLINGS.get(word.toLowerCase());
  return known ? capitalisedLike(word, known[rng.below(known.length)]!) : null;
});

/** Splits one of ten words in two. */
export const splitWords = ofWords({ name: 'split_words' }, 0.1, 5, (word, rng) => {
  const letters = lettersOf(word);
  return letters.length < 5 ? null : inserted(letters, 2 + rng.below(letters.length - 3), ' ');
});

/** In one of ten words, swaps two adjacent letters or drops one. The first and last letter stay. */
export const swaps = ofWords({ name: 'swaps' }, 0.1, 4, (word, rng) => {
  const letters = lettersOf(word);
  if (letters.length < 4) return null;
  const at = 1 + rng.below(letters.length - 3);
  const [one, other] = [letters[at]!, letters[at + 1]!];
  const between = rng.below(2) === 0 || one === other ? other : `${other}${one}`;
  return inserted(letters.toSpliced(at, 2), at, between);
});

/**
 * In one of ten words, replaces a letter with its neighbour on the keyboard. The first letter is
 * left alone, because people rarely mistype it.
 */
export const typos = ofWords({ name: 'typos', languages: [...KEYBOARDS.keys()] }, 0.1, 4, (word, rng, language) => {
  const keyboard = KEYBOARDS.get(primaryLanguage(language));
  return keyboard ? slip(word, keyboard, rng) : null;
});

/** Inserts an invisible character into one of five words. */
export const zeroWidth = ofWords({ name: 'zero_width' }, 0.2, 2, (word, rng) => {
  const letters = lettersOf(word);
  if (letters.length < 2) return null;
  const at = 1 + rng.below(letters.length - 1);
  return inserted(letters, at, INVISIBLE[rng.below(INVISIBLE.length)]!);
});

const inserted = (letters: readonly string[], at: number, text: string): string =>
  letters.toSpliced(at, 0, text).join('');

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
