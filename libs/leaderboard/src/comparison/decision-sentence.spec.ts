import { describe, expect, it } from '@jest/globals';
import { decisionSentence, type OwnDifference } from './decision-sentence.js';

const own = (low: number, high: number, p: number | null): OwnDifference => ({
  difference: { value: (low + high) / 2, low, high },
  p,
  direction: 'higher',
});
const board = (ahead: 'a' | 'b' | null, isPerformanceAlone = true) => ({ models: 11, ahead, isPerformanceAlone });
const NAMES = { a: 'bert', b: 'xlnet' };

describe('the decision of the board', () => {
  it.each([
    {
      what: 'a difference that is significant only by itself',
      found: decisionSentence(own(0.01, 0.09, 0.03), board(null), NAMES),
      sentence: 'Significant on its own (p = .03), not after correcting for the 11 models on the board.',
    },
    {
      what: 'a board that weighs more than the performance',
      found: decisionSentence(own(0.01, 0.09, 0.0002), board(null, false), NAMES),
      sentence:
        'Significant on its own (p < .001), but the scores are tied after correcting for the 11 models on the board.',
    },
    {
      what: 'scores that differ although the performance does not',
      found: decisionSentence(own(-0.02, 0.04, 0.214), board('b', false), NAMES),
      sentence: 'Not significant on its own (p = .21), but the board separates their scores: "xlnet" is ahead.',
    },
    {
      what: 'scores in the other order',
      found: decisionSentence(own(0.01, 0.09, 0.004), board('b', false), NAMES),
      sentence:
        '"bert" is significantly better on its own (p = .004), but the board separates their scores: "xlnet" is ahead.',
    },
    {
      what: 'no test',
      found: decisionSentence(
        { ...own(0, 0, null), difference: { value: 0.1, low: null, high: null } },
        board('a'),
        NAMES,
      ),
      sentence: 'Not significant on its own, but the board separates their scores: "bert" is ahead.',
    },
  ])('is a sentence for $what', ({ found, sentence }) => expect(found).toBe(sentence));

  it.each([
    { what: 'both find no difference', found: decisionSentence(own(-0.02, 0.04, 0.2), board(null), NAMES) },
    { what: 'both find the same', found: decisionSentence(own(0.01, 0.09, 0.01), board('a'), NAMES) },
    {
      what: 'a lower value is better',
      found: decisionSentence({ ...own(0.01, 0.09, 0.01), direction: 'lower' }, board('b'), NAMES),
    },
    { what: 'the interval contains 0', found: decisionSentence(own(-0.001, 0.09, 0.049), board(null), NAMES) },
  ])('is null where $what', ({ found }) => expect(found).toBeNull());
});
