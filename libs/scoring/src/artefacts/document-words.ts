import { segments } from '../language/word-segments.js';

/**
 * Returns the words of a text in lower case, in their order, without punctuation. Words are found by
 * `Intl.Segmenter`, so that languages without spaces have words, too.
 * @param language a BCP 47 tag, such as `en`
 */
export const documentWords = (text: string, language: string): string[] =>
  Array.from(segments(text.normalize('NFC'), language))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment.toLowerCase());
