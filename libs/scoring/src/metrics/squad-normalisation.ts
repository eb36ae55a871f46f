import { words } from './white-space.js';

// string.punctuation of Python: ASCII only, so that a Chinese full stop stays
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
// \b of Python knows the letters of every script; that of JavaScript only ASCII
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** The words of an answer as the SQuAD 1.1 evaluation script compares them (Rajpurkar et al. 2016). */
export function squadWords(answer: string): readonly string[] {
  const bare = answer.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ');
  return words(bare);
}

/** The references of an example: without any, the empty answer is right. */
export const squadReferences = (gold: readonly string[]): readonly string[] => (gold.length === 0 ? [''] : gold);
