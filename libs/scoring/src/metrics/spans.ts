/** Where a part of a text starts and ends (exclusive), in Unicode code points. */
export type Span = readonly [start: number, end: number];

/** The correct answers and the answer of a model as parts of the same text. */
export interface Spans {
  /** Null for a correct answer that does not occur in the text, such as the empty one. */
  readonly gold: readonly (Span | null)[];
  /** Null for an answer that does not occur in the text. */
  readonly predicted: Span | null;
}

/** Returns where a part first occurs in a text; null if it is empty or does not occur. */
export function firstSpan(text: string, part: string): Span | null {
  const at = part === '' ? -1 : text.indexOf(part);
  if (at < 0) return null;

  const start = lengthOf(text.slice(0, at));
  return [start, start + lengthOf(part)];
}

/** Returns the number of code points of a text. */
export const lengthOf = (text: string): number => Array.from(text).length;
