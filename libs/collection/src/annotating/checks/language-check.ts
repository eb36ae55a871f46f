import { franc, francAll } from 'franc';

/** The minimum number of letters for the script to indicate another language. */
const FEWEST_LETTERS = 8;
/** The minimum number of characters for trigrams to distinguish languages of one script. */
const FEWEST_CHARACTERS = 80;
/**
 * The score, relative to the likeliest language (1), below which the text is not in the task's
 * language.
 */
const LIKELY = 0.85;

/**
 * ISO 639-3 codes of the languages that are distinguished. Rare languages are left out, because
 * short texts are easily mistaken for them.
 */
const LANGUAGES: Readonly<Record<string, string>> = {
  ar: 'arb',
  bg: 'bul',
  bn: 'ben',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'pes',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  mr: 'mar',
  ms: 'zlm',
  nb: 'nob',
  nl: 'nld',
  nn: 'nno',
  no: 'nob',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sr: 'srp',
  sv: 'swe',
  sw: 'swh',
  ta: 'tam',
  te: 'tel',
  th: 'tha',
  tl: 'tgl',
  tr: 'tur',
  uk: 'ukr',
  ur: 'urd',
  vi: 'vie',
  zh: 'cmn',
};
const KNOWN = [...new Set(Object.values(LANGUAGES))];

/** Scripts that one language combines. */
const WRITTEN_WITH: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Han', 'Hiragana', 'Katakana'],
  Kore: ['Hangul', 'Han'],
  Hans: ['Han'],
  Hant: ['Han'],
};
const SCRIPTS: Readonly<Record<string, string>> = {
  Latn: 'Latin',
  Cyrl: 'Cyrillic',
  Arab: 'Arabic',
  Grek: 'Greek',
  Hebr: 'Hebrew',
  Deva: 'Devanagari',
  Beng: 'Bengali',
  Taml: 'Tamil',
  Telu: 'Telugu',
  Thai: 'Thai',
  Armn: 'Armenian',
  Geor: 'Georgian',
  Gujr: 'Gujarati',
  Guru: 'Gurmukhi',
  Knda: 'Kannada',
  Mlym: 'Malayalam',
  Sinh: 'Sinhala',
  Khmr: 'Khmer',
  Laoo: 'Lao',
  Mymr: 'Myanmar',
  Ethi: 'Ethiopic',
};

/**
 * Returns whether a text is clearly in another language than `tag` (BCP 47): by its script, or by
 * its trigrams if it is long enough. In case of doubt, returns false.
 */
export function isOtherLanguage(text: string, tag: string): boolean {
  const locale = localeOf(tag);
  if (!locale) return false;
  if (isOtherScript(text, locale.maximize().script)) return true;
  const expected = LANGUAGES[locale.language];
  if (expected === undefined || text.length < FEWEST_CHARACTERS) return false;
  if (franc(text, { only: KNOWN }) === expected) return false;
  const all = francAll(text, { only: KNOWN });
  return (all.find(([language]) => language === expected)?.[1] ?? 0) < LIKELY && all[0]?.[0] !== 'und';
}

function isOtherScript(text: string, script: string | undefined): boolean {
  const names = script === undefined ? undefined : (WRITTEN_WITH[script] ?? [SCRIPTS[script]]);
  if (names?.[0] === undefined) return false;
  const letters = Array.from(text).filter((character) => /\p{L}/u.test(character));
  if (letters.length < FEWEST_LETTERS) return false;
  const expected = new RegExp(`[${names.map((name) => `\\p{Script=${name}}`).join('')}]`, 'u');
  return letters.filter((letter) => expected.test(letter)).length < letters.length / 2;
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
