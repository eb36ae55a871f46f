// Splits words as the exported tokenizer does. The two must agree; otherwise the network receives
// other words than it was trained on.

/**
 * The pattern for tokenizer.json (Oniguruma) and JavaScript: runs of letters, digits and _, and
 * every other character by itself.
 */
export const WORD = String.raw`[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]`;
export const PADDING = '[PAD]';
export const UNKNOWN = '[UNK]';

/** @returns {string[]} */
export function wordsOf(text) {
  return text.toLowerCase().match(new RegExp(WORD, 'gu')) ?? [];
}

/**
 * Returns the words that occur in at least `minimum` texts, the most frequent first, ties in
 * alphabetical order.
 * @param {readonly (readonly string[])[]} texts
 * @returns {string[]} the position is the token's ID: 0 is the padding, 1 the unknown word
 */
export function vocabularyOf(texts, minimum) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const frequent = [...counts].filter(([, count]) => count >= minimum);
  frequent.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return [PADDING, UNKNOWN, ...frequent.map(([word]) => word)];
}
