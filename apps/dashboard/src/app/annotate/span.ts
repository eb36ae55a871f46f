/** A stretch of a text, in UTF-16 units from its begin; `end` is after the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LINE_END = /\r\n/g;

/** Where a place of a text field is in `text`: a field shows every line end as one character, also one that is two. */
export function placeInText(text: string, shown: number): number {
  let place = shown;
  for (const { index } of text.matchAll(LINE_END)) {
    if (index >= place) break;
    place += 1;
  }
  return place;
}

/** Where a place of `text` is in a text field that shows it. */
export const placeShown = (text: string, place: number): number =>
  place - [...text.matchAll(LINE_END)].filter(({ index }) => index < place).length;

/**
 * What is marked in `text` by a selection: whole characters as people see them, never half of one that is made of several units, and no
 * white space at its ends. Null: nothing is left.
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
