import { isEnglish } from '../language/text-rules.js';
import { editWords } from '../language/word-segments.js';
import { defineMetric } from '../metric.js';
import { editRate } from './edit-rate.js';

/** Word error rate: `editRate` over words (see `editWords`). Case and punctuation count. */
export const wer = defineMetric({
  name: 'wer',
  version: 2,
  label: 'WER',
  description:
    'Word error rate: the words to substitute, insert or delete to get the reference, for each of its words.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['text'],
  formula: ['(substituted + inserted + deleted words) ÷ words of the reference, over the whole dataset'],
  notes: ['Case and punctuation count. It may exceed 100%.'],
  signature: (rules) => `case:mixed|tok:${isEnglish(rules) ? 'space' : 'icu-word'}`,
  ...editRate(editWords),
});
