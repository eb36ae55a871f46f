import { total } from '../label-counts.js';
import { defineMetric } from '../metric.js';

/**
 * The F1 over the pooled hits and misses of all labels. Equals accuracy if every example was
 * answered with one label.
 */
export const microF1 = defineMetric({
  name: 'micro_f1',
  version: 1,
  label: 'micro F1',
  description: 'The F1 score over the pooled predictions of all labels. Frequent labels count more.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  formula: ['2 · true positives ÷ (2 · true positives + false negatives + false positives), over all labels together'],
  notes: ['If every example has one label, it equals the accuracy.'],
  source: 'scikit-learn: f1_score(average="micro")',
  hub: { type: 'f1', args: { average: 'micro' } },
  kind: 'labels',
  interval: 'accuracy',
  fromLabels: (counts) => (2 * total(counts.hits)) / (total(counts.support) + total(counts.predicted)),
});
