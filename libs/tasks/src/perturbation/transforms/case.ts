import { ANY_OUTPUT, eachText, type ProtectedText, type Transform } from '../transform.js';

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
