import { defineMetric } from '../metric.js';
import { editRate } from './edit-rate.js';
import { words } from './words.js';

/** Word error rate: `editRate` over the parts between white space. Case and punctuation count. */
export const wer = defineMetric({
  name: 'wer',
  version: 1,
  label: 'WER',
  description:
    'Word error rate: the words to substitute, insert or delete to get the reference, for each of its words.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['text'],
  formula: ['(substituted + inserted + deleted words) ÷ words of the reference, over the whole dataset'],
  notes: ['Case and punctuation count. It may exceed 100%.'],
  ...editRate(words),
});
