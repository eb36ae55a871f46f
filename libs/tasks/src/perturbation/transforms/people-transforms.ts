import type { Rng } from '@assay/kernel';
import { freeWords, type FreeWord } from '../people.js';
import { capitalisedLike, edited, type ProtectedText, type Transform } from '../transform.js';
import { FIRST_NAMES, type FirstName, NAME_GROUPS, namesOf } from '../words/first-names.js';
import { GENDERED_WORDS, NOT_OWNED } from '../words/gendered-words.js';

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
    const names = nameSwaps(
      words.flat(),
      ({ group, gender: own }) => namesOf(group, own === 'female' ? 'male' : 'female'),
      rng,
    );
    return replaced(texts, words, (word) => {
      const by = names.get(word.word) ?? swapped(word);
      return by && capitalisedLike(word.word, by);
    });
  },
};

/**
 * Replaces first names with names of the same gender that are associated with another ethnic group.
 * Within an example, all names of one group move to the same other group.
 */
export const names: Transform = {
  ...gender,
  name: 'names',
  apply: (texts, rng) => {
    const words = freeWords(texts);
    const turn = 1 + rng.below(NAME_GROUPS.length - 1);
    const otherOf = (group: FirstName['group']) =>
      NAME_GROUPS[(NAME_GROUPS.indexOf(group) + turn) % NAME_GROUPS.length]!;
    const swaps = nameSwaps(words.flat(), (name) => namesOf(otherOf(name.group), name.gender), rng);
    return replaced(texts, words, ({ word }) => swaps.get(word) ?? null);
  },
};

/** Returns the texts with the words replaced for which `by` returns a text. */
const replaced = (
  texts: readonly ProtectedText[],
  words: readonly (readonly FreeWord[])[],
  by: (word: FreeWord) => string | null,
): readonly string[] =>
  texts.map(({ text }, field) =>
    edited(
      text,
      words[field]!.flatMap((word) => {
        const other = by(word);
        return other === null ? [] : [{ start: word.start, end: word.end, by: other }];
      }),
    ),
  );

/**
 * Chooses a replacement from `candidates` for each first name among `words`. A name gets the same
 * replacement everywhere, no two names share one, and none is a word that already occurs. A name
 * without a free candidate is left unchanged.
 */
function nameSwaps(
  words: readonly FreeWord[],
  candidates: (name: FirstName) => readonly string[],
  rng: Rng,
): ReadonlyMap<string, string> {
  const swaps = new Map<string, string>();
  const taken = new Set(words.map(({ word }) => word));
  for (const { word } of words) {
    const name = FIRST_NAMES.get(word);
    if (!name || swaps.has(word)) continue;
    const free = candidates(name).filter((each) => !taken.has(each));
    if (free.length === 0) continue;
    const chosen = free[rng.below(free.length)]!;
    swaps.set(word, chosen);
    taken.add(chosen);
  }
  return swaps;
}

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
