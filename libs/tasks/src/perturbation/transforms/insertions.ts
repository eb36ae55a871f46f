import { ANY_OUTPUT, edited, eachText, freeMatches, someOf, type Transform } from '../transform.js';

/** Marks that do not change the meaning: no full stop and no question mark. */
const MARKS = [',', ';', ':', ' -', '...', '!'];
const SPACES = [' ', '  ', '\t', '\n'];

const ANYWHERE = { version: 1, languages: 'any', outputs: ANY_OUTPUT } as const;

/** Adds a mark after one of ten words. */
export const punctuation: Transform = {
  ...ANYWHERE,
  name: 'punctuation',
  apply: eachText((source, rng) => {
    // no second mark where there is already one
    const ends = someOf(endsOf(freeMatches(source, /\p{L}\p{M}*(?=\s|$)/gu)), 0.1, rng);
    return edited(
      source.text,
      ends.map((at) => ({ start: at, end: at, by: MARKS[rng.below(MARKS.length)]! })),
    );
  }),
};

/** Adds white space in 15% of the places that already have some, and at the end. */
export const whitespace: Transform = {
  ...ANYWHERE,
  name: 'whitespace',
  apply: eachText((source, rng) => {
    if (source.text.trim() === '') return source.text;
    const space = (): string => SPACES[rng.below(SPACES.length)]!;
    const gaps = someOf(endsOf(freeMatches(source, /\s+/gu)), 0.15, rng);
    const more = gaps.map((at) => ({ start: at, end: at, by: space() }));
    return `${edited(source.text, more)}${space()}`;
  }),
};

const endsOf = (matches: readonly RegExpExecArray[]): readonly number[] =>
  matches.map((match) => match.index + match[0].length);
