import { defineMetric } from '../metric.js';
import { answeredLabels, goldLabels } from './label-lists.js';
import { macroF1 } from './macro-f1.js';

/**
 * The mean F1 over the labels that occur in gold or answers, for examples with several labels:
 * scikit-learn's `f1_score(average="macro", zero_division=0)` of the columns of an indicator matrix
 * that are not empty. If no label occurs at all, it is the share of examples that were answered
 * with an empty list. A tolerated bad answer misses all labels.
 */
export const labelsMacroF1 = defineMetric({
  name: 'macro_f1',
  version: 2,
  label: macroF1.label,
  description: macroF1.description,
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['labels'],
  kind: 'sums',
  // per label: how often it is gold plus how often it is answered, and how often it is both; then
  // the number of examples, and of those with a bad answer
  width: ({ labels }) => 2 * labels.length + 2,
  contribute: ({ gold, predicted }, into, offset, { labels }) => {
    const expected = goldLabels(gold);
    const answered = answeredLabels(predicted);
    for (const label of expected) into[offset + 2 * labels.indexOf(label)]! += 1;
    for (const label of answered) {
      const at = offset + 2 * labels.indexOf(label);
      into[at]! += 1;
      if (expected.includes(label)) into[at + 1]! += 1;
    }
    into[offset + 2 * labels.length] = 1;
    if (predicted === null) into[offset + 2 * labels.length + 1] = 1;
  },
  fromSums: (sums, { labels }) => {
    const end = 2 * labels.length;
    let total = 0;
    let occurring = 0;
    for (let at = 0; at < end; at += 2) {
      if (sums[at] === 0) continue;
      total += (2 * sums[at + 1]!) / sums[at]!;
      occurring++;
    }
    return occurring === 0 ? 1 - sums[end + 1]! / sums[end]! : total / occurring;
  },
});
