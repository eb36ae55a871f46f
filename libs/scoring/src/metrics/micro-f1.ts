import { total } from '../label-counts.js';
import type { LabelMetric } from '../metric.js';

/** F1 of all labels' hits and misses pooled; equal to the accuracy where every example was answered with one label. */
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
