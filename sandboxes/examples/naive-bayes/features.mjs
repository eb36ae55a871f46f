/**
 * @returns {string[]} the distinct words and pairs of adjacent words of a text, including `!` and
 * `?`
 */
export function featuresOf(text) {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[a-z]+(?:'[a-z]+)?|[0-9]+|[!?]/g) ?? [];
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  return [...new Set([...words, ...pairs])];
}
