import { remembered } from '@assay/kernel';
import { quantile } from '../intervals/sorted-values.js';

/** The words of a set of texts. */
export interface WordCounts {
  /** How often each word occurs. */
  readonly counts: ReadonlyMap<string, number>;
  /** The number of running words. */
  readonly total: number;
  /** Quartiles of the number of words in a text: the lower one, the median, the upper one. */
  readonly lengths: readonly [number, number, number] | null;
}

/** Counts the words of texts. `lengths` is null without texts. */
export function wordCounts(documents: readonly (readonly string[])[]): WordCounts {
  const counts = new Map<string, number>();
  let total = 0;
  for (const document of documents) {
    total += document.length;
    for (const word of document) counts.set(word, remembered(counts, word, () => 0) + 1);
  }
  const lengths = Float64Array.from(documents, (document) => document.length).sort();
  return {
    counts,
    total,
    lengths: lengths.length === 0 ? null : [quantile(lengths, 0.25), quantile(lengths, 0.5), quantile(lengths, 0.75)],
  };
}

/** Returns the share of the running words of `of` that do not occur in `among`; null without words. */
export function unseenShare(of: WordCounts, among: WordCounts): number | null {
  if (of.total === 0) return null;
  let unseen = 0;
  for (const [word, count] of of.counts) if (!among.counts.has(word)) unseen += count;
  return unseen / of.total;
}
