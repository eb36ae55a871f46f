import type { ExampleMetric } from '../metric.js';
import { squadReferences, squadWords } from './squad-normalisation.js';

/** SQuAD exact match: the answer equals a reference after the SQuAD script's normalisation. */
export const exactMatch: ExampleMetric = {
  name: 'exact_match',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['span', 'text'],
  kind: 'mean',
  scores: 'binary',
  perExample: (gold, predicted) => {
    if (predicted === null) return 0;

    const answer = squadWords(predicted).join(' ');
    return squadReferences(gold).some((reference) => squadWords(reference).join(' ') === answer) ? 1 : 0;
  },
};
