import { remembered } from '@assay/kernel';
import { twoSidedNormal } from '../intervals/normal.js';
import type { Work } from '../resampling/work.js';

/** A word that occurs with one label more often than chance explains. */
export interface LabelWord {
  readonly word: string;
  /** The number of the label. */
  readonly label: number;
  /** The number of examples that contain the word. */
  readonly examples: number;
  /** The share of those that have the label. */
  readonly share: number;
  /** The share of all examples that have the label. */
  readonly expected: number;
  /** (share − expected) ÷ √(expected (1 − expected) ÷ examples). */
  readonly z: number;
}

/** The number of examples that must contain a word, so that the normal approximation holds. */
const LEAST = 20;
/** The number of examples between two yields. */
const PAUSE = 200;
/** The share of false discoveries among the returned words. */
const FALSE_DISCOVERIES = 0.05;

/**
 * Returns the words that go with one label more often than chance explains, the largest z first
 * (Gardner et al. 2021, "Competency Problems: On Finding and Removing Artifacts in Language Data").
 * A word counts once per example. Words in fewer than 20 examples are left out. The words that are
 * returned survive Benjamini and Hochberg's procedure at 5% over all words and labels.
 */
export function* labelWords(
  documents: readonly (readonly string[])[],
  { labels, count }: { readonly labels: ArrayLike<number>; readonly count: number },
): Work<readonly LabelWord[]> {
  const all = new Float64Array(count);
  const byWord = new Map<string, Float64Array>();
  for (const [example, document] of documents.entries()) {
    const label = labels[example]!;
    all[label]!++;
    for (const word of new Set(document)) {
      remembered(byWord, word, () => new Float64Array(count))[label]!++;
    }
    if (example % PAUSE === 0) yield;
  }
  const tested = [...byWord].flatMap(([word, counts]) => wordsOf(word, counts, all, documents.length));
  const sorted = tested.toSorted((a, b) => b.z - a.z || (a.word < b.word ? -1 : 1));
  let kept = 0;
  for (const [index, { z }] of sorted.entries()) {
    if (oneSidedNormal(z) <= (FALSE_DISCOVERIES * (index + 1)) / sorted.length) kept = index + 1;
  }
  return sorted.slice(0, kept);
}

function wordsOf(word: string, counts: Float64Array, all: Float64Array, documents: number): LabelWord[] {
  const examples = counts.reduce((sum, n) => sum + n, 0);
  if (examples < LEAST) return [];
  return Array.from(counts).flatMap((n, label) => {
    const expected = all[label]! / documents;
    if (expected === 0 || expected === 1) return [];
    const share = n / examples;
    return [
      {
        word,
        label,
        examples,
        share,
        expected,
        z: (share - expected) / Math.sqrt((expected * (1 - expected)) / examples),
      },
    ];
  });
}

const oneSidedNormal = (z: number): number => (z > 0 ? twoSidedNormal(z) / 2 : 1 - twoSidedNormal(z) / 2);
