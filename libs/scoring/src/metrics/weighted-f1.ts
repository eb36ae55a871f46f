import { labelF1 } from '../label-counts.js';
import type { LabelMetric } from '../metric.js';

/**
 * The mean F1 over the labels, weighted by their support: scikit-learn's
 * `f1_score(average="weighted", zero_division=0)`.
 */
export const weightedF1: LabelMetric = {
  name: 'weighted_f1',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'labels',
  fromLabels: (counts) => {
    let sum = 0;
    for (let label = 0; label < counts.support.length; label++) sum += counts.support[label]! * labelF1(counts, label);
    return sum / counts.n;
  },
};
