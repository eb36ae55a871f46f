import { remembered } from '@assay/kernel';

/**
 * Further normalisation that a task may choose. `nfkc`: compatibility characters, such as full-width
 * letters and ligatures, equal their plain forms. `quotes`: typographic quotation marks and
 * apostrophes equal `"` and `'`.
 */
export const NORMALISATIONS = ['nfkc', 'quotes'] as const;
export type Normalisation = (typeof NORMALISATIONS)[number];

/** How metrics compare the texts of a task. */
export interface TextRules {
  /** The BCP 47 tag of the language of the texts. Default: English. */
  readonly language?: string | undefined;
  /** Further normalisation. Default: none. */
  readonly normalise?: readonly Normalisation[] | undefined;
}

/** Returns whether English rules apply. They do if no language is given. */
export const isEnglish = ({ language }: TextRules): boolean =>
  language === undefined || localeOf(language).language === 'en';

export interface TextLocale {
  /** The language subtag, such as `de`. */
  readonly language: string;
  /** The usual script of the language (ISO 15924), such as `Latn`. Undefined if it is unknown. */
  readonly script: string | undefined;
}

const locales = new Map<string, TextLocale>();

/**
 * Returns the language and script of a BCP 47 tag. Three-letter codes of languages with a two-letter
 * code are replaced. A malformed tag has its own text as language, so that no rule applies to it.
 */
export const localeOf = (tag: string): TextLocale =>
  remembered(locales, tag, () => {
    try {
      const { language, script } = new Intl.Locale(tag.replaceAll('_', '-')).maximize();
      return { language, script };
    } catch {
      return { language: tag, script: undefined };
    }
  });

const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/g;

/** Returns a text in the form in which metrics compare it: NFC, or as `rules.normalise` says. */
export function normalised(text: string, { normalise = [] }: TextRules): string {
  const composed = text.normalize(normalise.includes('nfkc') ? 'NFKC' : 'NFC');
  return normalise.includes('quotes') ? composed.replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"') : composed;
}
