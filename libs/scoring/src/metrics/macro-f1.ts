import { labelF1 } from '../label-counts.js';
import { defineMetric } from '../metric.js';

/** The mean F1 over the labels: scikit-learn's `f1_score(average="macro", zero_division=0)`. */
export const macroF1 = defineMetric({
  name: 'macro_f1',
  version: 2,
  label: 'macro F1',
  description:
    'The F1 score of each label (the harmonic mean of precision and recall), averaged over the labels. A rare label counts as much as a frequent one.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  formula: [
    'F1 of a label = 2 · true positives ÷ (2 · true positives + false negatives + false positives)',
    'macro F1 = mean F1 over the labels',
  ],
  source: 'scikit-learn: f1_score(average="macro", zero_division=0)',
  hub: { type: 'f1', args: { average: 'macro' } },
  perLabel: true,
  narrowed: true,
  kind: 'labels',
  onSlices: 'gold',
  fromLabels: (counts) => {
    let sum = 0;
    for (let label = 0; label < counts.support.length; label++) sum += labelF1(counts, label);
    return sum / counts.support.length;
  },
});
