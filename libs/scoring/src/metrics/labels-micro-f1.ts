import { defineMetric } from '../metric.js';
import { answeredLabels, goldLabels } from './label-lists.js';
import { microF1 } from './micro-f1.js';

/**
 * The F1 over the pooled labels of all examples, for examples with several labels: scikit-learn's
 * `f1_score(average="micro", zero_division=0)` of an indicator matrix. A tolerated bad answer
 * misses all labels.
 */
export const labelsMicroF1 = defineMetric({
  name: 'micro_f1',
  version: 1,
  label: microF1.label,
  description: microF1.description,
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['labels'],
  kind: 'sums',
  // number of gold labels plus number of answered labels; number of labels that are both
  width: () => 2,
  contribute: ({ gold, predicted }, into, offset) => {
    const expected = goldLabels(gold);
    const answered = answeredLabels(predicted);
    into[offset] = expected.length + answered.length;
    into[offset + 1] = answered.filter((label) => expected.includes(label)).length;
  },
  fromSums: (sums) => (sums[0] === 0 ? 0 : (2 * sums[1]!) / sums[0]!),
});
