import { isProtected, type ProtectedText } from './transform.js';
import { FIRST_NAMES } from './words/first-names.js';
import { FORMS_OF_ADDRESS, GENDERED_WORDS, KIN } from './words/gendered-words.js';

/** A word of a text that may be swapped: it is outside of protected spans and named entities. */
export interface FreeWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** The next word, if only spaces separate the two. Null at the end and before punctuation. */
  readonly next: string | null;
}

interface PlacedWord extends FreeWord {
  readonly isCapitalised: boolean;
  readonly beginsSentence: boolean;
  /**
   * True if only spaces, or the full stop of a title such as "Mr.", separate it from the next word.
   */
  readonly joinsNext: boolean;
}

const PRONOUNS = new Set('he she him her his hers himself herself i'.split(' '));

/**
 * Returns the words of an example that are not part of a named entity, by field. A named entity is
 * a run of capitalised words, or the content of a protected span wherever its words occur.
 * Exceptions:
 *
 * - A run is a person if it is a first name, alone or with one more name after it, with or without
 *   a title before it ("Mary", "Mr. John Smith", "Aunt Mary"). Its title and first name are
 *   returned.
 * - A single word that begins a sentence is capitalised by rule.
 * - Pronouns are never part of an entity.
 *
 * So "Burger King", "Queen Elizabeth II" and "John F. Kennedy Airport" stay unchanged, and so do
 * some people.
 */
export function freeWords(texts: readonly ProtectedText[]): readonly (readonly FreeWord[])[] {
  // a name within an answer is the same person in the question
  const protectedWords = new Set(
    texts.flatMap(({ text, protectedSpans: spans }) =>
      spans.flatMap((span) => wordsIn(text.slice(span.start, span.end))),
    ),
  );
  return texts.map((source) => {
    const words = placedWords(source.text);
    const entities = entityWords(words);
    return words.filter(
      (word, place) => !entities.has(place) && !protectedWords.has(word.word) && !isProtected(source, word),
    );
  });
}

const LETTERS = /\p{L}[\p{L}\p{M}]*(?:-\p{L}[\p{L}\p{M}]*)*/gu;

const wordsIn = (text: string): readonly string[] => text.match(LETTERS) ?? [];

function placedWords(text: string): PlacedWord[] {
  const matches = [...text.matchAll(LETTERS)];
  return matches.map((match, place) => {
    const [word] = match;
    const end = match.index + word.length;
    const following = matches[place + 1];
    const gap = following ? text.slice(end, following.index) : null;
    return {
      word,
      start: match.index,
      end,
      next: gap !== null && /^ +$/.test(gap) ? following![0] : null,
      isCapitalised: word[0] !== word[0]!.toLowerCase() && !(word.length > 1 && word === word.toUpperCase()),
      beginsSentence: beginsSentence(text, match.index),
      joinsNext: gap !== null && (/^ +$/.test(gap) || (gap === '. ' && FORMS_OF_ADDRESS.has(word.toLowerCase()))),
    };
  });
}

const OPENING = new Set('.!?:;"“‘([');

/**
 * True if the word at `start` begins a sentence or a line. Scans back over white space only,
 * because texts can be long and have many words.
 */
function beginsSentence(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && /\s/u.test(text[at]!)) {
    if (text[at] === '\n') return true;
    at--;
  }
  return at < 0 || OPENING.has(text[at]!);
}

/** Returns the positions of the words that are part of an entity. */
function entityWords(words: readonly PlacedWord[]): ReadonlySet<number> {
  const entities = new Set<number>();
  for (let place = 0; place < words.length; place++) {
    const run = [place];
    if (!mayName(words[place]!)) continue;
    while (words[place]!.joinsNext && words[place + 1] && mayName(words[place + 1]!)) run.push(++place);
    const free = freeOf(run.map((each) => words[each]!));
    for (const each of run.slice(free)) entities.add(each);
  }
  return entities;
}

const mayName = ({ word, isCapitalised }: PlacedWord): boolean => isCapitalised && !PRONOUNS.has(word.toLowerCase());

/**
 * Returns how many words at the start of a run of capitalised words may be swapped. For a person:
 * the form of address and the first name.
 */
function freeOf(run: readonly PlacedWord[]): number {
  const [first, ...others] = run as [PlacedWord, ...PlacedWord[]];
  const word = first.word.toLowerCase();
  if (others.length === 0) return first.beginsSentence || isCall(word) || isName(first) ? 1 : 0;
  if (FORMS_OF_ADDRESS.has(word) && others.length === 1) return isName(others[0]!) ? 2 : 1;

  const isByRule = first.beginsSentence && !isName(first) && !GENDERED_WORDS.has(word);
  const before = isCall(word) || isByRule ? 1 : 0;
  return run.length - before <= 2 && isName(run[before]!) ? before + 1 : 0;
}

const isCall = (word: string): boolean => FORMS_OF_ADDRESS.has(word) || KIN.has(word);
const isName = ({ word }: PlacedWord): boolean => FIRST_NAMES.has(word);
