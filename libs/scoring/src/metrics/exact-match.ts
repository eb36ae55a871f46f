import { defineMetric } from '../metric.js';
import { squadReferences, squadWords } from './words.js';

/** SQuAD exact match: the answer equals a reference after the SQuAD script's normalisation. */
export const exactMatch = defineMetric({
  name: 'exact_match',
  version: 1,
  label: 'exact match',
  description: 'The share of answers that equal a correct answer, ignoring case, articles and punctuation.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['span', 'text'],
  notes: ['Case, punctuation, the words a, an and the, and extra spaces are ignored.'],
  source: 'SQuAD 1.1 (Rajpurkar et al. 2016)',
  kind: 'mean',
  scores: 'binary',
  perExample: (gold, predicted) => {
    if (predicted === null) return 0;

    const answer = squadWords(predicted).join(' ');
    return squadReferences(gold).some((reference) => squadWords(reference).join(' ') === answer) ? 1 : 0;
  },
});
