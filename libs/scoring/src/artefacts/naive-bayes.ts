import { remembered } from '@assay/kernel';

/**
 * Multinomial naive Bayes over words with add-one smoothing (Manning, Raghavan and Schütze 2008,
 * chapter 13). Words that were not in the training examples are ignored.
 */
export class NaiveBayes {
  private readonly words = new Map<string, Float64Array>();
  private readonly totals: Float64Array;
  private readonly examples: Float64Array;

  constructor(labels: number) {
    this.totals = new Float64Array(labels);
    this.examples = new Float64Array(labels);
  }

  learn(document: readonly string[], label: number): void {
    this.examples[label]!++;
    for (const word of document) {
      remembered(this.words, word, () => new Float64Array(this.totals.length))[label]!++;
      this.totals[label]!++;
    }
  }

  /** Returns the most likely label; of equally likely ones the first. */
  guess(document: readonly string[]): number {
    let best = -1;
    let most = -Infinity;
    for (const [label, log] of this.logs(document).entries()) if (log > most) [best, most] = [label, log];
    return best;
  }

  /**
   * Returns the logarithm of each label's probability, up to a constant that all labels share;
   * −Infinity for labels that were never learned.
   */
  logs(document: readonly string[]): Float64Array {
    const known = document.flatMap((word) => this.words.get(word) ?? []);
    return Float64Array.from(this.totals, (words, label) => {
      if (this.examples[label] === 0) return -Infinity;
      let log = Math.log(this.examples[label]!);
      const total = words + this.words.size;
      for (const counts of known) log += Math.log((counts[label]! + 1) / total);
      return log;
    });
  }
}
