import { isEnglish, localeOf, normalised, type TextRules } from './text-rules.js';
import { words } from './white-space.js';

/**
 * Returns the words of an answer as SQuAD exact match and F1 compare them. English follows the
 * SQuAD 1.1 evaluation script (Rajpurkar et al. 2016), every other language that of MLQA (Lewis et
 * al. 2020).
 */
export function answerWords(answer: string, rules: TextRules = {}): readonly string[] {
  const text = normalised(answer, rules).toLowerCase();
  return isEnglish(rules) ? squadWords(text) : mlqaWords(text, rules.language!);
}

// Python's string.punctuation: ASCII only, so a Chinese full stop stays
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/g;
// string.punctuation and the categories P of Unicode
const PUNCTUATION = /[\p{P}$+<=>^`|~]/gu;

// \b in Python knows the letters of every script, in JavaScript only ASCII
const wholeWords = (alternatives: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives})(?![\\p{L}\\p{N}_])`, 'gu');

const ENGLISH_ARTICLES = wholeWords('a|an|the');
/**
 * The articles that the MLQA script removes. In Arabic it removes the letters ال wherever they are.
 * Languages that MLQA does not cover have none.
 */
const ARTICLES: Readonly<Record<string, RegExp>> = {
  ar: /ال/g,
  de: wholeWords('ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des'),
  es: wholeWords('un|una|unos|unas|el|la|los|las'),
  vi: wholeWords('của|là|cái|chiếc|những'),
};

const squadWords = (text: string): readonly string[] =>
  words(text.replace(ASCII_PUNCTUATION, '').replace(ENGLISH_ARTICLES, ' '));

/** The scripts of Chinese, Japanese and Korean (ISO 15924). */
const CJK_SCRIPTS = ['Hans', 'Hant', 'Hani', 'Jpan', 'Kore'];
const CJK_CHARACTERS = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu;

function mlqaWords(text: string, tag: string): readonly string[] {
  const { language, script } = localeOf(tag);
  const bare = text.replace(PUNCTUATION, '');
  const articles = ARTICLES[language];
  const plain = articles ? bare.replace(articles, ' ') : bare;
  return words(CJK_SCRIPTS.includes(script ?? '') ? plain.replace(CJK_CHARACTERS, ' $& ') : plain);
}
