import { describe, expect, it } from '@jest/globals';
import { plainText } from './plain-text.js';

describe('plainText', () => {
  it.each([
    ['Is it **positive**, or `not`?', 'Is it positive, or not?'],
    ['# Tone\n\n- of [reviews](https://example.org)\n- of *films*', 'Tone of reviews of films'],
    ['2 * 3 * 4 and snake_case_names', '2 * 3 * 4 and snake_case_names'],
  ])('of %j is %j', (markdown, plain) => expect(plainText(markdown)).toBe(plain));
});
