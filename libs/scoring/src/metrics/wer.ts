import type { SumsMetric } from '../metric.js';
import { editRate } from './edit-rate.js';
import { words } from './white-space.js';

/** Word error rate: `editRate` over the parts between white space. Case and punctuation count. */
export const wer: SumsMetric = {
  name: 'wer',
  version: 1,
  direction: 'lower',
  range: [0, Infinity],
  unit: 'ratio',
  outputTypes: ['text'],
  ...editRate(words),
};
