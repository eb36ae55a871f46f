// the characters at which Python's str.split() splits, which the published scripts use
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/** Splits a text at white space. */
export const words = (text: string): readonly string[] => text.split(WHITE_SPACE).filter((word) => word !== '');

export const withoutWhiteSpace = (text: string): string => text.replace(WHITE_SPACE, '');

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
  const spaced = ` ${plain} `
    // ASCII punctuation except apostrophe, comma, hyphen and full stop
    .replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')
    // a comma or full stop that is not preceded, or not followed, by a digit
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return words(spaced);
}
