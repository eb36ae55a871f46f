import { describe, expect, it } from '@jest/globals';
import { refusalOf } from './sign-in-page.js';

describe('refusalOf', () => {
  it('says what went wrong', () => {
    expect(refusalOf('email_not_verified')).toContain('verified');
    expect(refusalOf(undefined)).toBeUndefined();
  });

  it.each(['', 'toString', '__proto__', '<b>'])('says no more of %j than that it did not work', (code) => {
    expect(refusalOf(code)).toBe('That did not work. Start again.');
  });
});
