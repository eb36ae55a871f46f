import { describe, expect, it } from '@jest/globals';
import { consensusInWords, verdictInWords } from './consensus-in-words.js';

describe('what has become of an example', () => {
  it('says how many must agree while nothing is decided', () => {
    expect(consensusInWords({ outcome: 'pending', verdict: 'correct' }, 3)).toContain('once 3 people agree');
  });

  it('has a sentence of its own for each fate', () => {
    const fates = ['pending', 'validated', 'rejected', 'flagged', 'undecided'] as const;
    const said = fates.map((outcome) => consensusInWords({ outcome, verdict: 'correct' }, 3));
    expect(new Set(said).size).toBe(fates.length);
  });

  it('says what the validator said', () => {
    const said = (['correct', 'incorrect', 'flagged'] as const).map((verdict) =>
      verdictInWords({ outcome: 'pending', verdict }),
    );
    expect(said).toEqual(['You say: the author is right', 'You say: another label is right', 'You flagged it']);
  });
});
