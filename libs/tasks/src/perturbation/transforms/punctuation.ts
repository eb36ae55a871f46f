import { ANY_OUTPUT, edited, eachText, freeMatches, someOf, type Transform } from '../transform.js';

/** Marks that do not change the meaning: no full stop and no question mark. */
const MARKS = [',', ';', ':', ' -', '...', '!'];
const SHARE = 0.1;

/** Adds a mark after one of ten words. */
export const punctuation: Transform = {
  name: 'punctuation',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText((source, rng) => {
    // no second mark where there is already one
    const ends = freeMatches(source, /\p{L}\p{M}*(?=\s|$)/gu);
    return edited(
      source.text,
      someOf(ends, SHARE, rng).map((match) => {
        const at = match.index + match[0].length;
        return { start: at, end: at, by: MARKS[rng.below(MARKS.length)]! };
      }),
    );
  }),
};
