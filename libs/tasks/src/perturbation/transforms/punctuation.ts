import { ANY_OUTPUT, edited, eachText, freeMatches, someOf, type Transform } from '../transform.js';

/** Marks that end no sentence and ask nothing. */
const MARKS = [',', ';', ':', ' -', '...', '!'];
const SHARE = 0.1;

/** A mark after one word of ten. */
export const punctuation: Transform = {
  name: 'punctuation',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText((source, rng) => {
    // a place where a mark stands already gets no second one
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
