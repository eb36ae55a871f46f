import { ANY_OUTPUT, eachText, edited, freeMatches, type ProtectedText, someOf, type Transform } from '../transform.js';

/**
 * Converts text to capitals by the rules of the language (in Turkish, a capital i keeps its dot).
 */
export const upperCase: Transform = {
  name: 'case',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText((source, _rng, language) => upper(source, localeOf(language))),
};

function upper({ text, protectedSpans }: ProtectedText, locale: string | undefined): string {
  let result = '';
  let from = 0;
  for (const { start, end } of protectedSpans) {
    result += text.slice(from, start).toLocaleUpperCase(locale) + text.slice(start, end);
    from = end;
  }
  return result + text.slice(from).toLocaleUpperCase(locale);
}

/** Returns the locale of a task's language, or `en` if that is not a valid language tag. */
function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

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
