import { labelF1 } from '../label-counts.js';
import { defineMetric } from '../metric.js';

/**
 * The mean F1 over the labels, weighted by their support: scikit-learn's
 * `f1_score(average="weighted", zero_division=0)`.
 */
export const weightedF1 = defineMetric({
  name: 'weighted_f1',
  version: 2,
  label: 'weighted F1',
  description: 'The F1 score of each label, averaged over the labels and weighted by how frequent they are.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  formula: ['mean F1 over the labels, each weighted by its number of examples'],
  source: 'scikit-learn: f1_score(average="weighted")',
  hub: { type: 'f1', args: { average: 'weighted' } },
  kind: 'labels',
  onSlices: 'gold',
  fromLabels: (counts) => {
    let sum = 0;
    for (let label = 0; label < counts.support.length; label++) sum += counts.support[label]! * labelF1(counts, label);
    return sum / counts.n;
  },
});
