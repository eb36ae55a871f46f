import { remembered } from '@assay/kernel';
import { isEnglish } from '../language/text-rules.js';
import { rougeTokens } from '../language/word-segments.js';
import { defineMetric } from '../metric.js';
import { squadReferences } from './words.js';

/**
 * ROUGE-L (Lin 2004): the F1 of the longest common subsequence of tokens, with the best reference,
 * averaged over the examples, and 0 if either side has no token. For ASCII text in English it equals
 * Google's rouge_score without stemming: tokens are lower-case runs of letters and digits.
 * rouge_score drops the letters of other scripts; here they are letters, and in scripts without
 * spaces each character is a token. In other languages than English, tokens are the words of
 * `Intl.Segmenter`. A tolerated bad answer scores 0.
 */
export const rougeL = defineMetric({
  name: 'rouge_l',
  version: 2,
  label: 'ROUGE-L',
  description:
    'The F1 score of the longest sequence of words that the answer shares with the reference in the same order, averaged over the examples.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['text'],
  formula: ['F1 of the longest common subsequence of words'],
  source: 'Lin 2004',
  signature: (rules) => `case:lc|tok:${isEnglish(rules) ? 'rouge-score' : 'icu-word'}`,
  hub: { type: 'rouge', args: { variant: 'rougeL' } },
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, _, context = { labels: [] }) => {
    if (predicted === null) return 0;

    const answer = rougeTokens(predicted, context);
    return Math.max(
      ...squadReferences(gold).map((reference) => subsequenceF1(rougeTokens(reference, context), answer)),
    );
  },
});

function subsequenceF1(reference: readonly string[], answer: readonly string[]): number {
  if (reference.length === 0 || answer.length === 0) return 0;
  return (2 * longestCommonSubsequence(reference, answer)) / (reference.length + answer.length);
}

const BITS = 32;

/**
 * Returns the length of the longest common subsequence. Processes 32 tokens of the reference at a
 * time (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): each zero bit in `row` is a
 * reference token that lengthens the subsequence.
 */
export function longestCommonSubsequence(reference: readonly string[], answer: readonly string[]): number {
  const places = placesOf(reference);
  const row = new Int32Array(Math.ceil(reference.length / BITS)).fill(-1);
  for (const token of answer) {
    const mask = places.get(token);
    if (!mask) continue;

    let carry = 0;
    for (let word = 0; word < row.length; word++) {
      const before = row[word]!;
      const sum = (before >>> 0) + ((before & mask[word]!) >>> 0) + carry;
      carry = sum > 0xffff_ffff ? 1 : 0;
      row[word] = sum | (before & ~mask[word]!);
    }
  }

  let length = 0;
  for (let place = 0; place < reference.length; place++) length += (~row[place >>> 5]! >>> (place & 31)) & 1;
  return length;
}

/** Returns the positions of each token as a mask: bit p is position p. */
function placesOf(tokens: readonly string[]): Map<string, Int32Array> {
  const places = new Map<string, Int32Array>();
  for (const [place, token] of tokens.entries()) {
    const mask = remembered(places, token, () => new Int32Array(Math.ceil(tokens.length / BITS)));
    mask[place >>> 5]! |= 1 << (place & 31);
  }
  return places;
}
