/** A range of a text in UTF-16 code units from its start. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LINE_END = /\r\n/g;

/**
 * Converts an offset in a text field to an offset in `text`. A text field counts every line break
 * as one character, also `\r\n`.
 */
export function placeInText(text: string, shown: number): number {
  let place = shown;
  for (const { index } of text.matchAll(LINE_END)) {
    if (index >= place) break;
    place += 1;
  }
  return place;
}

/** Converts an offset in `text` to an offset in a text field. Inverse of `placeInText`. */
export const placeShown = (text: string, place: number): number =>
  place - [...text.matchAll(LINE_END)].filter(({ index }) => index < place).length;

/**
 * Returns the span that a selection marks in `text`: extended to whole grapheme clusters, without
 * white space at either end. Null if nothing is left.
 */
export function markedSpan(text: string, selection: Span): Span | null {
  let { start, end } = wholeCharacters(text, selection);
  while (start < end && isSpace(text[start]!)) start += 1;
  while (end > start && isSpace(text[end - 1]!)) end -= 1;
  return start < end ? { start, end } : null;
}

function wholeCharacters(text: string, { start, end }: Span): Span {
  if (start >= end) return { start, end: start };
  const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  const last = characters.containing(end - 1);
  return { start: characters.containing(start)?.index ?? start, end: last ? last.index + last.segment.length : end };
}

const isSpace = (character: string): boolean => /\s/u.test(character);
