import type { ExampleMetric } from '../metric.js';
import { longestCommonSubsequence } from './longest-common-subsequence.js';
import { squadReferences } from './squad-normalisation.js';

// scripts that are written without spaces: each character is a token
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const TOKENS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/**
 * ROUGE-L (Lin 2004): F1 of the longest common subsequence of tokens, the best over the references, mean over the examples. Of ASCII text it is
 * that of Google's rouge_score without stemming: tokens are runs of letters and digits, in lower case, and without any on either side it is 0.
 * Letters of other scripts, which that drops, are letters here; in scripts without spaces each character is a token. A tolerated bad answer
 * has 0.
 */
export const rougeL: ExampleMetric = {
  name: 'rouge_l',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['text'],
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted) => {
    if (predicted === null) return 0;

    const answer = rougeTokens(predicted);
    return Math.max(...squadReferences(gold).map((reference) => subsequenceF1(rougeTokens(reference), answer)));
  },
};

const rougeTokens = (text: string): readonly string[] => text.toLowerCase().match(TOKENS) ?? [];

function subsequenceF1(reference: readonly string[], answer: readonly string[]): number {
  if (reference.length === 0 || answer.length === 0) return 0;
  return (2 * longestCommonSubsequence(reference, answer)) / (reference.length + answer.length);
}
