import type { LabelMetric } from '../metric.js';

/**
 * The mean recall over the labels that are the gold of some example: scikit-learn's
 * `balanced_accuracy_score`.
 */
export const balancedAccuracy: LabelMetric = {
  name: 'balanced_accuracy',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'labels',
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
};
