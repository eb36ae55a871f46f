import { describe, expect, it } from '@jest/globals';
import { classOf } from './request-classes.js';

describe('the class of a request', () => {
  it.each([
    ['GET', undefined, 'read'],
    ['HEAD', undefined, 'read'],
    ['PATCH', undefined, 'change'],
    ['DELETE', undefined, 'change'],
    ['GET', 'costly', 'costly'],
    ['HEAD', 'costly', 'costly'],
    ['POST', 'costly', 'costly'],
    ['GET', 'sign-in', 'sign-in'],
    ['PATCH', 'upload', 'upload'],
  ] as const)('for %s on a route that declares %s is %s', (method, declared, expected) => {
    expect(classOf(method, declared)).toBe(expected);
  });
});
