import { defineMetric } from '../metric.js';
import { ranksOf } from './label-ranks.js';

/**
 * The mean distance between the ranks of answer and gold, over the labels in the order of the task.
 * If there are several acceptable labels, the nearest one counts. A tolerated bad answer counts as
 * the label farthest from the first gold.
 */
export const meanAbsoluteRankError = defineMetric({
  name: 'mean_absolute_rank_error',
  version: 1,
  label: 'mean rank error',
  description:
    'Mean absolute rank error: how many steps the predicted label is from the correct one on an ordered scale, on average.',
  unit: 'value',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['label'],
  formula: ['mean of |rank of the predicted label − rank of the correct label|'],
  notes: ['The scale is the list of labels in the task, so that order matters. Neighbours are one step apart.'],
  source: 'scikit-learn: mean_absolute_error of the ranks',
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, _probabilities, context) => {
    const [expected, answered] = ranksOf(gold, predicted, context?.labels ?? []);
    return Math.abs(expected - answered);
  },
});
