/**
 * Returns the words of a text in lower case, in their order, without punctuation. Words are found by
 * `Intl.Segmenter`, so that languages without spaces have words, too.
 * @param language a BCP 47 tag, such as `en`
 */
export function documentWords(text: string, language: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenterOf(language).segment(text.normalize('NFC'))) {
    if (isWordLike) words.push(segment.toLowerCase());
  }
  return words;
}

let last: { readonly language: string; readonly segmenter: Intl.Segmenter } | undefined;

function segmenterOf(language: string): Intl.Segmenter {
  if (last?.language !== language) {
    last = { language, segmenter: new Intl.Segmenter(language, { granularity: 'word' }) };
  }
  return last.segmenter;
}
