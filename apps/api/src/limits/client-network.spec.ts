import { describe, expect, it } from '@jest/globals';
import { clientNetworkOf } from './client-network.js';

describe('the household of an address', () => {
  it.each([
    ['203.0.113.77', '203.0.113.77'],
    ['::ffff:203.0.113.77', '203.0.113.77'],
    ['2001:db8:12:3456:aaaa::1', '2001:db8:12:3456::/64'],
    ['2001:db8:12:3456:bbbb:1:2:3', '2001:db8:12:3456::/64'],
    ['2001:db8:12:3457::1', '2001:db8:12:3457::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('of %s is %s', (address, household) => {
    expect(clientNetworkOf(address)).toBe(household);
  });
});
