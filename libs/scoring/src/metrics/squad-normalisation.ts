import { words } from './white-space.js';

// Python's string.punctuation: ASCII only, so a Chinese full stop stays
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
// \b in Python knows the letters of every script, in JavaScript only ASCII
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/**
 * Returns the words of an answer as the SQuAD 1.1 evaluation script compares them (Rajpurkar et al.
 * 2016).
 */
export function squadWords(answer: string): readonly string[] {
  const bare = answer.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ');
  return words(bare);
}

/** Returns the references of an example. Without any, the empty answer is correct. */
export const squadReferences = (gold: readonly string[]): readonly string[] => (gold.length === 0 ? [''] : gold);
