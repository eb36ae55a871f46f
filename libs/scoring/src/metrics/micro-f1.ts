import { total } from '../label-counts.js';
import type { LabelMetric } from '../metric.js';

/**
 * The F1 over the pooled hits and misses of all labels. Equals accuracy if every example was
 * answered with one label.
 */
export const microF1: LabelMetric = {
  name: 'micro_f1',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'labels',
  fromLabels: (counts) => (2 * total(counts.hits)) / (total(counts.support) + total(counts.predicted)),
};
