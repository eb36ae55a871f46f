import { defineMetric } from '../metric.js';
import { goldLabels, labelList } from './label-lists.js';

/**
 * The number of labels in both gold and answer, divided by the number in either, averaged over the
 * examples: scikit-learn's `jaccard_score(average="samples")`. If both are empty the score is 1,
 * which scikit-learn leaves to `zero_division`. A tolerated bad answer scores 0.
 */
export const jaccard = defineMetric({
  name: 'jaccard',
  version: 1,
  label: 'Jaccard',
  description:
    'The overlap of predicted and gold labels: labels in both, divided by labels in either, averaged over the examples.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['labels'],
  formula: ['mean over the examples of: labels in both ÷ labels in either'],
  source: 'scikit-learn: jaccard_score(average="samples")',
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
});
