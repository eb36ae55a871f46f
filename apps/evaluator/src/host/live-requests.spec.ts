import { describe, expect, it } from '@jest/globals';
import { LiveRequests, PeopleFirst } from './live-requests.js';

describe('LiveRequests', () => {
  it('aborts what gives way as soon as a request begins', async () => {
    const requests = new LiveRequests();
    const { next } = requests;
    expect(next.aborted).toBe(false);

    expect(await requests.during(() => Promise.resolve(next.reason as unknown))).toBeInstanceOf(PeopleFirst);

    expect(requests.next.aborted).toBe(false);
  });

  it('counts the seconds since the last request ended, however it did', async () => {
    let now = 0;
    const requests = new LiveRequests(() => now);
    expect(requests.idleSeconds).toBe(Infinity);

    const first = Promise.withResolvers<string>();
    const done = requests.during(() => first.promise);
    now = 5_000;
    await expect(requests.during(() => Promise.reject(new Error('it died')))).rejects.toThrow('it died');
    expect(requests.idleSeconds).toBe(0);
    first.resolve('answer');
    expect(await done).toBe('answer');
    now = 7_000;

    expect(requests.idleSeconds).toBe(2);
  });
});
