import { withoutWhiteSpace } from '../language/white-space.js';

/**
 * A text divided into tokens: token i is `text.slice(starts[i], starts[i + 1])`. The last start is
 * the end of the text.
 */
export interface Tokens {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Returns words as tokens. No word may contain a space. */
export function wordTokens(tokens: readonly string[]): Tokens {
  const starts = [0];
  for (const token of tokens) starts.push(starts.at(-1)! + token.length + 1);
  return { text: tokens.map((token) => `${token} `).join(''), starts };
}

/** Returns the code points of a text as tokens, without white space. */
export function characterTokens(text: string): Tokens {
  const bare = withoutWhiteSpace(text);
  const starts = [0];
  for (const character of bare) starts.push(starts.at(-1)! + character.length);
  return { text: bare, starts };
}

/** Returns the number of tokens. */
export const length = (tokens: Tokens): number => tokens.starts.length - 1;

/** Counts each sequence of `order` tokens in a text. */
export function ngramCounts({ text, starts }: Tokens, order: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index + order < starts.length; index++) {
    const ngram = text.slice(starts[index], starts[index + order]);
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
}
