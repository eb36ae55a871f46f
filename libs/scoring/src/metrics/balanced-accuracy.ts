import { defineMetric } from '../metric.js';

/**
 * The mean recall over the labels that are the gold of some example: scikit-learn's
 * `balanced_accuracy_score`.
 */
export const balancedAccuracy = defineMetric({
  name: 'balanced_accuracy',
  version: 2,
  label: 'balanced accuracy',
  description:
    'The recall of each label, averaged over the labels. Always predicting the most frequent label gains nothing.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  formula: ['mean over the labels of: correct answers ÷ examples with that label'],
  source: 'scikit-learn: balanced_accuracy_score',
  perLabel: true,
  narrowed: true,
  kind: 'labels',
  onSlices: 'gold',
  fromLabels: (counts) => {
    let sum = 0;
    let labels = 0;
    for (let label = 0; label < counts.support.length; label++) {
      if (counts.support[label] === 0) continue;
      sum += counts.hits[label]! / counts.support[label]!;
      labels++;
    }
    return sum / labels;
  },
});
