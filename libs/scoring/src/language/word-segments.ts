import { remembered } from '@assay/kernel';
import { isEnglish, localeOf, normalised, type TextRules } from './text-rules.js';
import { words } from './white-space.js';

const segmenters = new Map<string, Intl.Segmenter>();

/** Divides a text into words, numbers, punctuation and white space (Unicode Standard Annex 29). */
export function segments(text: string, language: string): Iterable<Intl.SegmentData> {
  const segmenter = remembered(segmenters, language, () => {
    const { language: locale, script } = localeOf(language);
    return new Intl.Segmenter(script === undefined ? 'und' : locale, { granularity: 'word' });
  });
  return segmenter.segment(text);
}

/**
 * Returns the tokens of word error rate. In English, the parts between white space. In other
 * languages, the segments of `Intl.Segmenter` without white space, so that punctuation marks are
 * tokens. Case is preserved.
 */
export function editWords(text: string, rules: TextRules): readonly string[] {
  const comparable = normalised(text, rules);
  if (isEnglish(rules)) return words(comparable);
  return Array.from(segments(comparable, rules.language!), ({ segment }) => segment).flatMap(words);
}

// scripts written without spaces: each character is a token
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const ENGLISH_TOKENS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/**
 * Returns the tokens of ROUGE-L, in lower case. In English, runs of letters and digits, as Google's
 * rouge_score divides ASCII text. In other languages, the words of `Intl.Segmenter`.
 */
export function rougeTokens(text: string, rules: TextRules): readonly string[] {
  const comparable = normalised(text, rules).toLowerCase();
  if (isEnglish(rules)) return comparable.match(ENGLISH_TOKENS) ?? [];
  return Array.from(segments(comparable, rules.language!))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}
