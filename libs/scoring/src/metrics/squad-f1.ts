import { answerWords } from '../language/answer-words.js';
import { answerSignature } from '../language/signature.js';
import { defineMetric } from '../metric.js';
import { squadReferences } from './words.js';

/**
 * SQuAD F1: the word overlap with the best-fitting reference, after the normalisation of the
 * language (see `answerWords`). The words of Chinese, Japanese and Korean are characters.
 */
export const squadF1 = defineMetric({
  name: 'squad_f1',
  version: 2,
  label: 'SQuAD F1',
  description: 'The word overlap of the answer with the best-fitting correct answer, averaged over the examples.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['span', 'text'],
  formula: [
    '2 · shared words ÷ (words of the answer + words of the correct answer), the highest over the correct answers',
  ],
  source: 'SQuAD 1.1 (Rajpurkar et al. 2016); in other languages than English MLQA (Lewis et al. 2020)',
  signature: answerSignature,
  hub: { type: 'f1', args: { normalisation: 'SQuAD 1.1' } },
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, _, context) => {
    if (predicted === null) return 0;

    const answer = answerWords(predicted, context);
    return Math.max(...squadReferences(gold).map((reference) => overlapF1(answerWords(reference, context), answer)));
  },
});

/**
 * Returns the F1 of two bags of words. Two empty bags are equal (SQuAD 2.0's rule for questions
 * without an answer).
 */
export function overlapF1(reference: readonly string[], answer: readonly string[]): number {
  if (reference.length === 0 || answer.length === 0) return reference.length === answer.length ? 1 : 0;

  const left = new Map<string, number>();
  for (const word of reference) left.set(word, (left.get(word) ?? 0) + 1);

  let same = 0;
  for (const word of answer) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    same++;
  }
  // the SQuAD script's order of operations, so that the last digit agrees
  const precision = same / answer.length;
  const recall = same / reference.length;
  return same === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
