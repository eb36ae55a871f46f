/** The minimum number of letters for the script to indicate another language. */
const FEWEST_LETTERS = 8;
/** The minimum number of characters for the detector to distinguish languages of one script. */
const FEWEST_CHARACTERS = 40;
/**
 * The score, relative to the likeliest language (1), below which the text is not in the task's
 * language. Closely related languages, such as Danish and Norwegian, score higher than this.
 */
const LIKELY = 0.85;

/** The languages that the detector knows, in the script that it knows (ISO 639-1). */
const DETECTED = new Set(
  (
    'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko lo lt lv ml mr ms nl ' +
    'no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'
  ).split(' '),
);
/** Languages that the detector calls by the name of a near relative. */
const DETECTED_AS: Readonly<Record<string, string>> = { bs: 'hr', fil: 'tl', id: 'ms', nb: 'no', nn: 'no' };

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
 * its letter sequences if it is long enough. In case of doubt, returns false.
 */
export async function isOtherLanguage(text: string, tag: string): Promise<boolean> {
  const locale = localeOf(tag);
  if (!locale) return false;
  if (isOtherScript(text, locale.maximize().script)) return true;
  const expected = detectedAs(locale);
  if (expected === null || text.length < FEWEST_CHARACTERS) return false;
  const found = (await loadedDetector()).detect(text);
  if (found.language === expected || !found.isReliable()) return false;
  const scores = found.getScores();
  return (scores[expected] ?? 0) < LIKELY * (scores[found.language] ?? 0);
}

/** Loads the detector at its first use, because its data takes about 100 MB of memory. */
const loadedDetector = async () => (await import('eld/small')).eld;

/** Returns the detector's name for a language, or null if it does not know the language. */
function detectedAs({ language, script }: Intl.Locale): string | null {
  // the detector knows Serbian in Cyrillic; in Latin script it is hardly different from Croatian
  if (language === 'sr' && script === 'Latn') return 'hr';
  const name = DETECTED_AS[language] ?? language;
  return DETECTED.has(name) ? name : null;
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
