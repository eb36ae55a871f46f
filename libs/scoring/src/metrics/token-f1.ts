import { normalised, type TextRules } from '../language/text-rules.js';
import { defineMetric } from '../metric.js';
import { overlapF1 } from './squad-f1.js';
import { squadReferences } from './words.js';

/**
 * The token overlap with the best-fitting reference, for spans as they stand in the text: case,
 * articles and punctuation count, unlike in SQuAD F1.
 */
export const tokenF1 = defineMetric({
  name: 'token_f1',
  version: 1,
  label: 'token F1',
  description:
    'The token overlap of the answer with the best-fitting correct answer, averaged over the examples. Case, articles and punctuation count.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['span'],
  formula: [
    '2 · shared tokens ÷ (tokens of the answer + tokens of the correct answer), the highest over the correct answers',
  ],
  notes: [
    'A token is a run of letters and digits, one punctuation mark or symbol, or one Chinese or Japanese character. Texts are compared in Unicode normalisation form C.',
  ],
  signature: () => 'case:mixed|tok:word-or-mark',
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, _, context = { labels: [] }) => {
    if (predicted === null) return 0;

    const answer = tokens(predicted, context);
    return Math.max(...squadReferences(gold).map((reference) => overlapF1(tokens(reference, context), answer)));
  },
});

const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{M}\p{N}])+|\S/gu;

const tokens = (text: string, rules: TextRules): readonly string[] => normalised(text, rules).match(TOKEN) ?? [];
