import { labelF1 } from '../label-counts.js';
import type { LabelMetric } from '../metric.js';

/** The mean F1 over the labels: scikit-learn's `f1_score(average="macro", zero_division=0)`. */
export const macroF1: LabelMetric = {
  name: 'macro_f1',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'labels',
  fromLabels: (counts) => {
    let sum = 0;
    for (let label = 0; label < counts.support.length; label++) sum += labelF1(counts, label);
    return sum / counts.support.length;
  },
};
