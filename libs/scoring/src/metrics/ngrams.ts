import { withoutWhiteSpace } from './white-space.js';

/** A text cut into tokens: token i is `text.slice(starts[i], starts[i + 1])`; the last start is the text's end. */
export interface Tokens {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Words, none of which has a space. */
export function wordTokens(tokens: readonly string[]): Tokens {
  const starts = [0];
  for (const token of tokens) starts.push(starts.at(-1)! + token.length + 1);
  return { text: tokens.map((token) => `${token} `).join(''), starts };
}

/** Code points, white space left out. */
export function characterTokens(text: string): Tokens {
  const bare = withoutWhiteSpace(text);
  const starts = [0];
  for (const character of bare) starts.push(starts.at(-1)! + character.length);
  return { text: bare, starts };
}

/** Number of tokens. */
export const length = (tokens: Tokens): number => tokens.starts.length - 1;

/** How often each sequence of `order` tokens stands in a text. */
export function ngramCounts({ text, starts }: Tokens, order: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index + order < starts.length; index++) {
    const ngram = text.slice(starts[index], starts[index + order]);
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
}
