import { answerWords } from '../language/answer-words.js';
import { answerSignature } from '../language/signature.js';
import { defineMetric } from '../metric.js';
import { squadReferences } from './words.js';

/**
 * SQuAD exact match: the answer equals a reference after the normalisation of the language (see
 * `answerWords`).
 */
export const exactMatch = defineMetric({
  name: 'exact_match',
  version: 2,
  label: 'exact match',
  description: 'The share of answers that equal a correct answer, ignoring case, articles and punctuation.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['span', 'text'],
  notes: [
    'Case, punctuation, articles (in English a, an and the) and extra spaces are ignored. The language of the task decides which.',
  ],
  source: 'SQuAD 1.1 (Rajpurkar et al. 2016); in other languages than English MLQA (Lewis et al. 2020)',
  signature: answerSignature,
  kind: 'mean',
  scores: 'binary',
  perExample: (gold, predicted, _, context) => {
    if (predicted === null) return 0;

    const answer = answerWords(predicted, context).join(' ');
    return squadReferences(gold).some((reference) => answerWords(reference, context).join(' ') === answer) ? 1 : 0;
  },
});
