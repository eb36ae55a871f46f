import { beforeEach, describe, expect, it } from '@jest/globals';
import { browserSecret } from './browser-secret.js';

beforeEach(() => localStorage.clear());

describe('the secret of a browser', () => {
  it('is 256 random bits', () => {
    const secret = browserSecret(() => localStorage);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    localStorage.clear();
    expect(browserSecret(() => localStorage)).not.toBe(secret);
  });

  it('is the same at the next visit', () => {
    expect(browserSecret(() => localStorage)).toBe(browserSecret(() => localStorage));
  });

  it('lasts as long as the page where the browser refuses storage', () => {
    const refused = (): Storage => {
      throw new DOMException('The request is insecure.', 'SecurityError');
    };
    expect(browserSecret(refused)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lasts as long as the page where storage is full', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('', 'QuotaExceededError');
      },
    };
    expect(browserSecret(() => full)).toMatch(/^[0-9a-f]{64}$/);
  });
});
