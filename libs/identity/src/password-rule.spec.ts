import { describe, expect, it } from '@jest/globals';
import { expectStrongPassword } from './password-rule.js';

const ADA = { username: 'AdaLovelace', email: 'countess@example.org' };
const choose = (password: string) => expectStrongPassword(password, ADA, 'password');

describe('a new password', () => {
  it.each([
    'correct horse battery staple',
    'ada has a password',
    'Zwölf Boxkämpfer jagen',
    'kV7#pq!x29Lm',
    'assay is where I submit',
    'пароль из четырёх слов',
  ])('may be %s', async (password) => {
    await expect(choose(password)).resolves.toBeUndefined();
  });

  it.each([
    ['of breaches', 'unbelievable'],
    ['of breaches, in capitals', 'FinalFantasy'],
    ['with digits and signs around it', '123password123!'],
    ['with a year behind it', 'football2026'],
    ['twice', 'sunshinesunshine'],
    ['one and a half times', '123456789012'],
    ['of one key', 'aaaaaaaaaaaaaaaa'],
    ['of few keys', 'abababababab'],
    ['in a row', 'abcdefghijkl'],
    ['in a row backwards', 'zyxwvutsrqpo'],
    ['of the username', 'adalovelace1815'],
    ['of the username, again and again', 'AdaLovelaceAdaLovelace'],
    ['of the mail address', 'countess-1815'],
    ['of the service', 'Assay-assay-assay'],
  ])('is refused where it is a common one: %s', async (_what, password) => {
    await expect(choose(password)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'weak_password',
      problems: [{ path: 'password', message: expect.stringContaining('Choose') }],
    });
  });
});
