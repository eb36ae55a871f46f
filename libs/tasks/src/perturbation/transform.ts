import type { OutputType } from '@assay/contracts/metrics';
import type { TransformName } from '@assay/contracts/tasks';
import type { Rng } from '@assay/kernel';

/** Part of a text in UTF-16 code units: from `start` (inclusive) to `end` (exclusive). */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text field of an example, with the spans that a transform must not change. */
export interface ProtectedText {
  readonly text: string;
  /** In ascending order, without overlaps. */
  readonly protectedSpans: readonly Span[];
}

/**
 * A transform that changes the form of an example but not its answer. Deterministic: the same texts
 * and random stream give the same result.
 */
export interface Transform {
  readonly name: TransformName;
  /** Incremented when the same example would get another variant. */
  readonly version: number;
  /**
   * Primary subtags of BCP 47. `any`: independent of the language; leaves a text unchanged if
   * nothing in it applies.
   */
  readonly languages: 'any' | readonly string[];
  readonly outputs: readonly OutputType[];
  /** Perturbs all text fields of one example together. Returns as many texts, in the same order. */
  apply(texts: readonly ProtectedText[], rng: Rng, language: string): readonly string[];
}

export const ANY_OUTPUT: readonly OutputType[] = ['label', 'labels', 'span', 'text', 'number'];

/** The primary subtag of a language tag: `en` of `en-GB`. */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;

/** Returns a transform function that perturbs each field independently. */
export const eachText =
  (change: (text: ProtectedText, rng: Rng, language: string) => string): Transform['apply'] =>
  (texts, rng, language) =>
    texts.map((text) => change(text, rng, language));

/** Returns the spans where `words` occur in `text`, merged and in ascending order. */
export function spansOf(text: string, words: readonly string[]): readonly Span[] {
  const found: Span[] = [];
  for (const word of words) {
    if (word === '') continue;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      found.push({ start: at, end: at + word.length });
    }
  }
  found.sort((one, other) => one.start - other.start);
  const merged: { start: number; end: number }[] = [];
  for (const span of found) {
    const last = merged.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** Returns whether a span overlaps a protected span. */
export const isProtected = ({ protectedSpans }: ProtectedText, { start, end }: Span): boolean =>
  protectedSpans.some((span) => span.start < end && start < span.end);

/** A replacement for a span of a text. */
export interface Edit extends Span {
  readonly by: string;
}

/** Returns `text` with the edits applied. They must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, by } of [...edits].sort((one, other) => one.start - other.start)) {
    result += text.slice(from, start) + by;
    from = end;
  }
  return result + text.slice(from);
}

/** Returns the matches of `pattern` (with the flag g) that overlap no protected span. */
export function freeMatches(source: ProtectedText, pattern: RegExp): RegExpExecArray[] {
  return [...source.text.matchAll(pattern)].filter(
    (match) => !isProtected(source, { start: match.index, end: match.index + match[0].length }),
  );
}

/** Returns a random share of `items` in their original order, at least one if there are any. */
export function someOf<T>(items: readonly T[], share: number, rng: Rng): T[] {
  const wanted = items.length === 0 ? 0 : Math.max(1, Math.round(items.length * share));
  const places = items.map((_, place) => place);
  for (let index = 0; index < wanted; index++) {
    const other = index + rng.below(places.length - index);
    [places[index], places[other]] = [places[other]!, places[index]!];
  }
  return places
    .slice(0, wanted)
    .sort((one, other) => one - other)
    .map((place) => items[place]!);
}

/**
 * A word in an alphabetic script. Scripts without spaces between words are excluded, because their
 * word boundaries cannot be found from the letters.
 */
export const WORD =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\p{L}\p{M}*)+/gu;

/**
 * Returns a function that perturbs a share of the unprotected words of at least `shortest` UTF-16
 * units. `change` returns null for a word that it cannot change.
 */
export const someWords =
  (share: number, shortest: number, change: (word: string, rng: Rng, language: string) => string | null) =>
  (source: ProtectedText, rng: Rng, language: string): string => {
    const words = freeMatches(source, WORD).filter(([word]) => word.length >= shortest);
    const edits = words.map((match) => ({ match, by: change(match[0], rng, language) }));
    const possible = edits.filter(({ match, by }) => by !== null && by !== match[0]);
    return edited(
      source.text,
      someOf(possible, share, rng).map(({ match, by }) => ({
        start: match.index,
        end: match.index + match[0].length,
        by: by!,
      })),
    );
  };

/**
 * Returns `word` with the capitalisation of `like`: all capitals, first letter capital, or
 * unchanged.
 */
export function capitalisedLike(like: string, word: string): string {
  if (like.length > 1 && like === like.toUpperCase() && like !== like.toLowerCase()) return word.toUpperCase();
  const first = like[0] ?? '';
  return first !== first.toLowerCase() ? (word[0] ?? '').toUpperCase() + word.slice(1) : word;
}
