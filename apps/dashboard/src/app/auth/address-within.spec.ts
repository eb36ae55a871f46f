import { describe, expect, it } from '@jest/globals';
import { addressWithin } from './address-within.js';

describe('addressWithin', () => {
  it.each(['/tasks/nli/annotate?tag=a', '/me'])('continues to %s', (next) => expect(addressWithin(next)).toBe(next));

  it.each([undefined, '', 'https://example.org', '//example.org', '/\\example.org', 'tasks'])(
    'does not leave for %s',
    (next) => expect(addressWithin(next)).toBe('/'),
  );
});
