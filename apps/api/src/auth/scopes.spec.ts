import { describe, expect, it } from '@jest/globals';
import { scopeOf } from './scopes.js';

describe('the scope that a token needs', () => {
  it.each([
    ['GET', undefined, 'read'],
    ['HEAD', 'submit', 'read'],
    ['POST', undefined, 'all'],
    ['POST', 'read', 'read'],
    ['PUT', 'submit', 'submit'],
    ['PATCH', { POST: 'submit', PATCH: 'submit' }, 'submit'],
    ['PUT', { POST: 'submit', PATCH: 'submit' }, 'all'],
  ] as const)('for %s on a route that declares %j is %s', (method, declared, expected) => {
    expect(scopeOf(method, declared)).toBe(expected);
  });
});
