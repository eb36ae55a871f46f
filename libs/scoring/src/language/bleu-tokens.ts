import { isEnglish, localeOf, normalised, type TextRules } from './text-rules.js';
import { words } from './white-space.js';

/** The names of sacreBLEU's tokenisers that BLEU can use. */
export type BleuTokeniser = '13a' | 'zh' | 'intl' | 'char';

/** Scripts whose words are not divided by spaces. */
const UNSPACED_SCRIPTS = ['Jpan', 'Thai', 'Laoo', 'Khmr', 'Mymr'];

/**
 * Returns the tokeniser of a language: `13a` for English and other languages in Latin script, as
 * sacreBLEU chooses, `zh` for Chinese, `char` for Japanese and other scripts without spaces, and
 * `intl` for all others.
 */
export function bleuTokeniser(rules: TextRules): BleuTokeniser {
  if (isEnglish(rules)) return '13a';
  const { script } = localeOf(rules.language!);
  if (script === undefined || script === 'Latn') return '13a';
  if (script === 'Hans' || script === 'Hant') return 'zh';
  return UNSPACED_SCRIPTS.includes(script) ? 'char' : 'intl';
}

const TOKENISERS: Readonly<Record<BleuTokeniser, (line: string) => readonly string[]>> = {
  '13a': mtevalTokens,
  zh: chineseTokens,
  intl: internationalTokens,
  char: (line) => words(Array.from(line).join(' ')),
};

/** Returns the tokens of a text as sacreBLEU's tokeniser of the language gives them. */
export const bleuTokens = (text: string, rules: TextRules): readonly string[] =>
  TOKENISERS[bleuTokeniser(rules)](normalised(text, rules).trimEnd());

const ENTITIES = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
] as const;

/**
 * Returns the tokens of mteval-v13a.pl, the script of the NIST and WMT evaluations, as sacreBLEU
 * implements it ("13a"). Case is preserved.
 */
export function mtevalTokens(text: string): readonly string[] {
  const joined = text.trimEnd().replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  const plain = ENTITIES.reduce((line, [entity, character]) => line.replaceAll(entity, character), joined);
  return westernTokens(` ${plain} `);
}

function westernTokens(line: string): readonly string[] {
  const spaced = line
    // ASCII punctuation except apostrophe, comma, hyphen and full stop
    .replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')
    // a comma or full stop that is not preceded, or not followed, by a digit
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return words(spaced);
}

/**
 * The characters that sacreBLEU's `zh` separates. U+2001 to U+2A6D is what its table of strings
 * yields for U+20000 to U+2A6D6, so typographic quotation marks are separated and ideographs beyond
 * U+FFFF are not.
 */
const CHINESE =
  /[\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]/g;

/** Returns the tokens of sacreBLEU's `zh`: Chinese characters one by one, the rest as 13a divides it. */
function chineseTokens(line: string): readonly string[] {
  return westernTokens(line.trim().replace(CHINESE, ' $& '));
}

/** Returns the tokens of mteval-v14.pl's `--international-tokenization`, sacreBLEU's `intl`. */
function internationalTokens(line: string): readonly string[] {
  return words(
    line
      .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
      .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
      .replace(/\p{S}/gu, ' $& '),
  );
}
