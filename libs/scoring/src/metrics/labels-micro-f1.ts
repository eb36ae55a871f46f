import { defineMetric } from '../metric.js';
import { answeredLabels, goldLabels } from './label-lists.js';
import { microF1 } from './micro-f1.js';

/**
 * The F1 over the pooled labels of all examples, for examples with several labels: scikit-learn's
 * `f1_score(average="micro")` of an indicator matrix. If no label occurs at all, it is the share of
 * examples that were answered with an empty list. A tolerated bad answer misses all labels.
 */
export const labelsMicroF1 = defineMetric({
  name: 'micro_f1',
  version: 2,
  label: microF1.label,
  description: microF1.description,
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['labels'],
  kind: 'sums',
  // number of gold labels plus number of answered labels; number of labels that are both; number of
  // examples; number of bad answers
  width: () => 4,
  contribute: ({ gold, predicted }, into, offset) => {
    const expected = goldLabels(gold);
    const answered = answeredLabels(predicted);
    into[offset] = expected.length + answered.length;
    into[offset + 1] = answered.filter((label) => expected.includes(label)).length;
    into[offset + 2] = 1;
    into[offset + 3] = predicted === null ? 1 : 0;
  },
  fromSums: (sums) => (sums[0] === 0 ? 1 - sums[3]! / sums[2]! : (2 * sums[1]!) / sums[0]!),
});
