// Words as the exported tokenizer splits them: the two must agree, or the network is fed other words than it was trained on.

/** For tokenizer.json (Oniguruma) and JavaScript alike: runs of letters, digits and _, and each other sign by itself. */
export const WORD = String.raw`[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]`;
export const PADDING = '[PAD]';
export const UNKNOWN = '[UNK]';

/** @returns {string[]} */
export function wordsOf(text) {
  return text.toLowerCase().match(new RegExp(WORD, 'gu')) ?? [];
}

/**
 * The words that at least `minimum` texts have, the most frequent first; of equals the first in the alphabet.
 * @param {readonly (readonly string[])[]} texts
 * @returns {string[]} position is the token's id: 0 the padding, 1 what is unknown
 */
export function vocabularyOf(texts, minimum) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const frequent = [...counts].filter(([, count]) => count >= minimum);
  frequent.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return [PADDING, UNKNOWN, ...frequent.map(([word]) => word)];
}
