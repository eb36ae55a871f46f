import { describe, expect, it } from '@jest/globals';
import { networkOf } from './audit-log.js';

describe('networkOf', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:12:3456::1', '2001:db8:12::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['unknown', null],
  ])('keeps of %s %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
