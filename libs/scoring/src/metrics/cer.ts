import type { SumsMetric } from '../metric.js';
import { editRate } from './edit-rate.js';

/** Character error rate: `editRate` over code points, including white space. */
export const cer: SumsMetric = {
  name: 'cer',
  version: 1,
  direction: 'lower',
  range: [0, Infinity],
  unit: 'ratio',
  outputTypes: ['text'],
  ...editRate((text) => Array.from(text)),
};
