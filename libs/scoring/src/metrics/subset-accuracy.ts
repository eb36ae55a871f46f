import type { ExampleMetric } from '../metric.js';

/** Share of the examples answered with all of the gold labels and no other: scikit-learn's `accuracy_score` of several labels. */
export const subsetAccuracy: ExampleMetric = {
  name: 'accuracy',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['labels'],
  kind: 'mean',
  scores: 'binary',
  // both lists are sorted, and have each label once
  perExample: (gold, predicted) => (predicted !== null && gold.includes(predicted) ? 1 : 0),
};
