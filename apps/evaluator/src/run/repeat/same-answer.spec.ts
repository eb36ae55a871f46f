import { describe, expect, it } from '@jest/globals';
import { agree } from './same-answer.js';

const answer = (text: string, ...probabilities: readonly number[]) => ({
  text,
  ...(probabilities.length > 0 && { probabilities }),
});

describe('agree', () => {
  it.each([
    ['the same label', answer('a'), answer('a')],
    ['the same label, once without probabilities', answer('a', 0.9, 0.1), answer('a')],
    ['probabilities that another batch moved a little', answer('a', 0.9, 0.1), answer('a', 0.9009, 0.0991)],
    ['a label that flips between equally probable ones', answer('a', 0.5, 0.5), answer('b', 0.4999, 0.5001)],
  ])('holds for %s', (_, one, other) => {
    expect(agree(one, other)).toBe(true);
  });

  it.each([
    ['another label', answer('a'), answer('b')],
    ['another label, once without probabilities', answer('a', 0.9, 0.1), answer('b')],
    ['another label under the same probabilities', answer('a', 0.9, 0.1), answer('b', 0.9, 0.1)],
    ['other probabilities', answer('a', 0.9, 0.1), answer('a', 0.8, 0.2)],
    ['a tie below the most probable', answer('a', 0.1, 0.1, 0.8), answer('b', 0.1, 0.1, 0.8)],
  ])('does not for %s', (_, one, other) => {
    expect(agree(one, other)).toBe(false);
  });
});
