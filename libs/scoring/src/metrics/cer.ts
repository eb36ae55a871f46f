import { normalised } from '../language/text-rules.js';
import { defineMetric } from '../metric.js';
import { editRate } from './edit-rate.js';

/** Character error rate: `editRate` over code points, including white space. */
export const cer = defineMetric({
  name: 'cer',
  version: 2,
  label: 'CER',
  description:
    'Character error rate: the characters to substitute, insert or delete to get the reference, for each of its characters.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, Infinity],
  outputs: ['text'],
  formula: ['(substituted + inserted + deleted characters) ÷ characters of the reference, over the whole dataset'],
  signature: () => 'case:mixed|tok:code-point',
  ...editRate((text, rules) => Array.from(normalised(text, rules))),
});
