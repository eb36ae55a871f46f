// Translates word by word, phrases first. Unknown words stay as they are. The only grammar is the
// article of a noun.
import { ARTICLES, WORDS } from './words.mjs';

const LONGEST_PHRASE = 3;

/** @returns {(instance: { source: string }) => { text: string }} */
export function load() {
  return ({ source } = {}) => {
    if (typeof source !== 'string') throw new TypeError('there is no text in "source"');
    return { text: source.replaceAll(/[\p{L}\p{N}'’ ]+/gu, translated) };
  };
}

/** Translates the words and spaces between two punctuation marks. */
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

/** Returns the number of words of the longest known phrase from `at` on; 1 if there is none. */
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
