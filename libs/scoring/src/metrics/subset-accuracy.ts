import { defineMetric } from '../metric.js';
import { accuracy } from './accuracy.js';

/**
 * The share of examples whose answer has all gold labels and no other: scikit-learn's
 * `accuracy_score` for several labels.
 */
export const subsetAccuracy = defineMetric({
  name: 'accuracy',
  version: 1,
  label: accuracy.label,
  description: accuracy.description,
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['labels'],
  kind: 'mean',
  scores: 'binary',
  // both lists are sorted and contain each label once, so equal lists are equal strings
  perExample: (gold, predicted) => (predicted !== null && gold.includes(predicted) ? 1 : 0),
});
