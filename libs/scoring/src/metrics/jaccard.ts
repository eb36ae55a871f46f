import type { ExampleMetric } from '../metric.js';
import { goldLabels, labelList } from './label-lists.js';

/**
 * Labels in both the gold and the answer, of those in either, mean over the examples: scikit-learn's `jaccard_score(average="samples")`, but
 * no label where none is gold is right: 1 (scikit-learn leaves it to `zero_division`). A tolerated bad answer has 0.
 */
export const jaccard: ExampleMetric = {
  name: 'jaccard',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['labels'],
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted) => {
    if (predicted === null) return 0;

    const expected = goldLabels(gold);
    const answered = labelList(predicted);
    const both = answered.filter((label) => expected.includes(label)).length;
    const either = expected.length + answered.length - both;
    return either === 0 ? 1 : both / either;
  },
};
