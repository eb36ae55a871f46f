import { describe, expect, it } from '@jest/globals';
import { aboutWhat } from './notifications-page.js';

const about = { task: 'nli', round: null, model: null, annotation: null };

describe('aboutWhat', () => {
  it.each([
    [about, '/tasks/nli'],
    [{ ...about, round: 2 }, '/tasks/nli/rounds/2'],
    [{ ...about, round: 2, model: 'm1' }, '/tasks/nli/models/m1'],
    [{ ...about, round: 2, annotation: 'a1' }, '/me/examples'],
    [{ ...about, task: null }, '/me/webhooks'],
  ])('%j', (notification, address) => expect(aboutWhat(notification)).toBe(address));
});
