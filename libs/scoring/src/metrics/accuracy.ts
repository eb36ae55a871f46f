import { total } from '../label-counts.js';
import { defineMetric } from '../metric.js';

/** The share of examples whose answer is one of the gold labels. */
export const accuracy = defineMetric({
  name: 'accuracy',
  version: 1,
  label: 'accuracy',
  description: 'The share of examples answered correctly.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  formula: ['correct answers ÷ examples'],
  notes: [
    'If an example has several acceptable labels, any of them is correct. If it has several labels at once, the answer must have all of them and no other.',
  ],
  kind: 'mean',
  scores: 'binary',
  perExample: (gold, predicted) => (predicted !== null && gold.includes(predicted) ? 1 : 0),
  fromLabels: (counts) => total(counts.hits) / counts.n,
});
