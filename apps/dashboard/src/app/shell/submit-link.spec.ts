import { describe, expect, it } from '@jest/globals';
import { submitAddress } from './submit-link.js';

describe('submitAddress', () => {
  it.each([
    ['/', '/submit'],
    ['/tasks/new', '/submit'],
    ['/tasks/nli', '/tasks/nli/submit'],
    ['/tasks/nli/leaderboard?weights=accuracy:1', '/tasks/nli/submit'],
    ['/users/ada', '/submit'],
    ['/help#/tasks/nli', '/submit'],
  ])('%s', (url, address) => expect(submitAddress(url)).toBe(address));
});
