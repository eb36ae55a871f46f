import { total } from '../label-counts.js';
import type { ExampleMetric } from '../metric.js';

/** The share of examples whose answer is one of the gold labels. */
export const accuracy: ExampleMetric = {
  name: 'accuracy',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'mean',
  scores: 'binary',
  perExample: (gold, predicted) => (predicted !== null && gold.includes(predicted) ? 1 : 0),
  fromLabels: (counts) => total(counts.hits) / counts.n,
};
