// Translates word by word, phrases first; what it does not know stays as it is. It knows no grammar but the article of a noun.
import { ARTICLES, WORDS } from './words.mjs';

const LONGEST_PHRASE = 3;

/** @returns {(instance: { source: string }) => { text: string }} */
export function load() {
  return ({ source } = {}) => {
    if (typeof source !== 'string') throw new TypeError('there is no text in "source"');
    return { text: source.replaceAll(/[\p{L}\p{N}'’ ]+/gu, translated) };
  };
}

/** Words and blanks between two marks of punctuation. */
function translated(clause) {
  const words = clause.trim().split(/ +/);
  if (words[0] === '') return clause;
  const german = [];
  for (let at = 0; at < words.length;) {
    const length = phraseAt(words, at);
    german.push(WORDS.get(keyOf(words, at, length)) ?? words[at]);
    at += length;
  }
  const text = german
    .map((word, index) => (word === 'das' ? (ARTICLES.get(german[index + 1]) ?? word) : word))
    .join(' ');
  const [before, after] = [/^ */.exec(clause)[0], / *$/.exec(clause)[0]];
  const isCapital = /^\p{Lu}/u.test(words[0]);
  return before + (isCapital ? text[0].toUpperCase() + text.slice(1) : text) + after;
}

/** Words of the longest phrase that is known from `at` on; 1 where there is none. */
function phraseAt(words, at) {
  for (let length = Math.min(LONGEST_PHRASE, words.length - at); length > 1; length--) {
    if (WORDS.has(keyOf(words, at, length))) return length;
  }
  return 1;
}

const keyOf = (words, at, length) =>
  words
    .slice(at, at + length)
    .join(' ')
    .toLowerCase();
