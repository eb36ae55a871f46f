// string.punctuation of Python: ASCII only, so that a Chinese full stop stays
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
// \b of Python knows the letters of every script; that of JavaScript only ASCII
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
// what str.split() of Python splits at
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The words of an answer as the SQuAD 1.1 evaluation script compares them (Rajpurkar et al. 2016). */
export function squadWords(answer: string): readonly string[] {
  const bare = answer.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ');
  return bare.split(WHITE_SPACE).filter((word) => word !== '');
}

/** The references of an example: without any, the empty answer is right. */
export const squadReferences = (gold: readonly string[]): readonly string[] => (gold.length === 0 ? [''] : gold);
