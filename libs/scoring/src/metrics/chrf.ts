import { normalised } from '../language/text-rules.js';
import { defineMetric } from '../metric.js';
import { characterTokens, ngramCounts, type Tokens } from './ngrams.js';
import { squadReferences } from './words.js';

const ORDERS = 6;
const WIDTH = 3 * ORDERS;
/** Recall counts β times as much as precision. */
const BETA = 2;

/**
 * chrF2 of the whole set (Popović 2015) as sacreBLEU computes it, divided by 100: character n-grams
 * up to order 6, without white space, against the reference with the highest chrF2 for that
 * example. A tolerated bad answer is an empty answer. sacreBLEU's signature:
 * `case:mixed|eff:yes|nc:6|nw:0|space:no`.
 */
export const chrf = defineMetric({
  name: 'chrf',
  version: 2,
  label: 'chrF',
  description: 'The F-score of n-grams of one to six characters in the answers against the references.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['text'],
  formula: ['F-score of n-grams of 1 to 6 characters; recall counts twice as much as precision'],
  source: 'Popović 2015, as sacreBLEU computes it, divided by 100',
  signature: () => 'case:mixed|eff:yes|nc:6|nw:0|space:no',
  kind: 'sums',
  // per order: n-grams of the answer (0 if the reference has none), of the reference, and of both
  width: () => WIDTH,
  contribute: ({ gold, predicted }, into, offset, context) => {
    const answer = countsOf(characterTokens(normalised(predicted ?? '', context)));
    let best = -1;
    for (const reference of squadReferences(gold)) {
      const sums = statistics(answer, countsOf(characterTokens(normalised(reference, context))));
      const value = fScore(sums);
      if (value <= best) continue;
      best = value;
      into.set(sums, offset);
    }
  },
  fromSums: fScore,
});

const countsOf = (tokens: Tokens): readonly Map<string, number>[] =>
  Array.from({ length: ORDERS }, (_, index) => ngramCounts(tokens, index + 1));

function statistics(answer: readonly Map<string, number>[], reference: readonly Map<string, number>[]): Float64Array {
  const sums = new Float64Array(WIDTH);
  for (let index = 0; index < ORDERS; index++) {
    let answered = 0;
    let both = 0;
    for (const [ngram, count] of answer[index]!) {
      answered += count;
      both += Math.min(count, reference[index]!.get(ngram) ?? 0);
    }
    let expected = 0;
    for (const count of reference[index]!.values()) expected += count;
    sums.set([expected === 0 ? 0 : answered, expected, both], 3 * index);
  }
  return sums;
}

/**
 * Returns the F-score of the mean precision and the mean recall, over the orders that both sides
 * have.
 */
function fScore(sums: Float64Array): number {
  let precision = 0;
  let recall = 0;
  let orders = 0;
  for (let at = 0; at < WIDTH; at += 3) {
    const [answered, expected, both] = [sums[at]!, sums[at + 1]!, sums[at + 2]!];
    if (answered === 0 || expected === 0) continue;
    precision += both / answered;
    recall += both / expected;
    orders++;
  }
  if (precision + recall === 0) return 0;
  return ((1 + BETA ** 2) * precision * recall) / (BETA ** 2 * precision + recall) / orders;
}
