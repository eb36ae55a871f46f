import { bleuTokeniser, bleuTokens } from '../language/bleu-tokens.js';
import { defineMetric } from '../metric.js';
import { squadReferences } from './words.js';
import { length, ngramCounts, type Tokens, wordTokens } from './ngrams.js';

const ORDERS = 4;

/**
 * BLEU of the whole set (Papineni et al. 2002) as sacreBLEU computes it, divided by 100: tokens of
 * the language (see `bleuTokeniser`), exponential smoothing, the reference of the closest length (the shorter one of two)
 * in the brevity penalty, and counts clipped at the highest count in any reference. A tolerated bad
 * answer is an empty answer. sacreBLEU's signature in English: `case:mixed|eff:no|tok:13a|smooth:exp`.
 */
export const bleu = defineMetric({
  name: 'bleu',
  version: 2,
  label: 'BLEU',
  description:
    'The precision of n-grams of one to four words in the answers against the references, with a penalty for short answers.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['text'],
  formula: ['brevity penalty · geometric mean of the precision of n-grams of 1, 2, 3 and 4 words'],
  notes: ['It is computed over the whole dataset, so it is not the mean over the examples.'],
  source: 'Papineni et al. 2002, as sacreBLEU computes it, divided by 100',
  signature: (rules) => `case:mixed|eff:no|tok:${bleuTokeniser(rules)}|smooth:exp`,
  kind: 'sums',
  // tokens of the answers, tokens of the references, then for each order the n-grams of the answers
  // and those found in a reference
  width: () => 2 + 2 * ORDERS,
  contribute: ({ gold, predicted }, into, offset, context) => {
    const answer = wordTokens(bleuTokens(predicted ?? '', context));
    const references = squadReferences(gold).map((reference) => wordTokens(bleuTokens(reference, context)));
    into[offset] = length(answer);
    into[offset + 1] = closestLength(length(answer), references);
    for (let order = 1; order <= ORDERS; order++) {
      into[offset + 2 * order] = Math.max(0, length(answer) - order + 1);
      into[offset + 2 * order + 1] = matches(answer, references, order);
    }
  },
  fromSums: (sums) => {
    const [answered, expected] = [sums[0]!, sums[1]!];
    let smoothing = 1;
    let logarithms = 0;
    let found = 0;
    for (let order = 1; order <= ORDERS; order++) {
      const ngrams = sums[2 * order]!;
      const matched = sums[2 * order + 1]!;
      found += matched;
      if (matched === 0) smoothing *= 2;
      logarithms += Math.log(matched === 0 ? 1 / (smoothing * ngrams) : matched / ngrams);
      // the answers have no n-gram of this order
      if (ngrams === 0) return 0;
    }
    if (found === 0) return 0;
    return Math.exp(Math.min(0, 1 - expected / answered) + logarithms / ORDERS);
  },
});

function closestLength(answered: number, references: readonly Tokens[]): number {
  const lengths = references.map(length).sort((a, b) => a - b);
  return lengths.reduce((best, each) => (Math.abs(each - answered) < Math.abs(best - answered) ? each : best));
}

function matches(answer: Tokens, references: readonly Tokens[], order: number): number {
  const known = references.map((reference) => ngramCounts(reference, order));
  let sum = 0;
  for (const [ngram, count] of ngramCounts(answer, order)) {
    sum += Math.min(count, Math.max(...known.map((counts) => counts.get(ngram) ?? 0)));
  }
  return sum;
}
