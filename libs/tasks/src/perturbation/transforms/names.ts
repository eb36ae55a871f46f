import { freeWords } from '../people.js';
import { edited, type Transform } from '../transform.js';
import { NAME_GROUPS, namesOf } from '../words/first-names.js';
import { nameSwaps } from './name-swaps.js';

/**
 * Replaces first names with names of the same gender that are associated with another ethnic group.
 * Within an example, all names of one group move to the same other group.
 */
export const names: Transform = {
  name: 'names',
  version: 1,
  languages: ['en'],
  outputs: ['label', 'labels', 'span', 'number'],
  apply: (texts, rng) => {
    const words = freeWords(texts);
    const turn = 1 + rng.below(NAME_GROUPS.length - 1);
    const swaps = nameSwaps(
      words.flat(),
      ({ group, gender }) => {
        const other = NAME_GROUPS[(NAME_GROUPS.indexOf(group) + turn) % NAME_GROUPS.length]!;
        return namesOf(other, gender);
      },
      rng,
    );
    return texts.map(({ text }, field) =>
      edited(
        text,
        words[field]!.flatMap(({ word, start, end }) => {
          const by = swaps.get(word);
          return by === undefined ? [] : [{ start, end, by }];
        }),
      ),
    );
  },
};
