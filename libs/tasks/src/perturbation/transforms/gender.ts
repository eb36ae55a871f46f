import { freeWords, type FreeWord } from '../people.js';
import { capitalisedLike, edited, type ProtectedText, type Transform } from '../transform.js';
import { FIRST_NAMES, namesOf, type FirstName } from '../words/first-names.js';
import { GENDERED_WORDS, NOT_OWNED } from '../words/gendered-words.js';
import { nameSwaps } from './name-swaps.js';

/**
 * Swaps male and female: gendered words, pronouns and first names in all fields. Each name gets the
 * same replacement everywhere.
 */
export const gender: Transform = {
  name: 'gender',
  version: 1,
  languages: ['en'],
  // a free-text answer may have to repeat a name from the input
  outputs: ['label', 'labels', 'span', 'number'],
  apply: (texts, rng) => {
    const words = freeWords(texts);
    const names = nameSwaps(words.flat(), (name) => counterparts(name), rng);
    return texts.map(({ text }: ProtectedText, field) =>
      edited(
        text,
        words[field]!.flatMap((word) => {
          const by = names.get(word.word) ?? swapped(word);
          return by === null ? [] : [{ start: word.start, end: word.end, by: capitalisedLike(word.word, by) }];
        }),
      ),
    );
  },
};

const counterparts = ({ group, gender: own }: FirstName): readonly string[] =>
  namesOf(group, own === 'female' ? 'male' : 'female');

/** Returns the word for the other gender, or null if the word is not gendered. */
function swapped({ word, next }: FreeWord): string | null {
  if (FIRST_NAMES.has(word)) return null;
  const isOwner = next !== null && !NOT_OWNED.has(next.toLowerCase());
  switch (word.toLowerCase()) {
    case 'her':
      return isOwner ? 'his' : 'him';
    case 'his':
      return isOwner ? 'her' : 'hers';
    case 'him':
      return 'her';
    case 'hers':
      return 'his';
    default:
      return GENDERED_WORDS.get(word.toLowerCase()) ?? null;
  }
}
