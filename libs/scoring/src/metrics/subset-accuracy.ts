import type { ExampleMetric } from '../metric.js';

/**
 * The share of examples whose answer has all gold labels and no other: scikit-learn's
 * `accuracy_score` for several labels.
 */
export const subsetAccuracy: ExampleMetric = {
  name: 'accuracy',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['labels'],
  kind: 'mean',
  scores: 'binary',
  // both lists are sorted and contain each label once, so equal lists are equal strings
  perExample: (gold, predicted) => (predicted !== null && gold.includes(predicted) ? 1 : 0),
};
