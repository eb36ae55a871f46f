import { describe, expect, it } from '@jest/globals';
import { EXAMPLE_FATES, FATES, fieldsOf, verdictWords } from './own-example.js';

describe('an example of one’s own', () => {
  it('has words for every fate, none of them the same', () => {
    expect(new Set(EXAMPLE_FATES.map((fate) => FATES[fate].words)).size).toBe(EXAMPLE_FATES.length);
  });

  it('shows its fields as text, and no bytes', () => {
    const picture = 'A'.repeat(500);
    const fields = fieldsOf({ input: { text: 'Hi.', year: 1999, picture, spans: [1, 2], none: null } });
    expect(fields.map(({ text }) => text)).toEqual(['Hi.', '1999', '(an image)', '[1,2]', '']);
  });

  it('says what validators said', () => {
    expect(verdictWords({ verdicts: { correct: 0, incorrect: 0, flagged: 0 } })).toBe('');
    expect(verdictWords({ verdicts: { correct: 2, incorrect: 1, flagged: 0 } })).toBe(
      'Of those who looked, 2 agreed with you, 1 found another label right.',
    );
  });
});
