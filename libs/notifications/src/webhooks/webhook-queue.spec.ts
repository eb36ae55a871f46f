import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { MOST_TRIES, retryAfterSeconds, secondsUntilRetry } from './webhook-queue.js';

const always = (value: number) => ({ next: () => value });

describe('when a webhook is tried again', () => {
  it('waits four times as long each time, up to twelve hours, for a day and a half at most', () => {
    const longest = Array.from({ length: MOST_TRIES - 1 }, (_, n) => secondsUntilRetry(n + 1, null, always(1)));
    expect(longest.slice(0, 4)).toEqual([10, 40, 160, 640]);
    expect(longest.at(-1)).toBe(43_200);
    expect(longest.reduce((sum, wait) => sum + wait) / 3600).toBeLessThan(48);
  });

  it('leaves up to half of it to chance', () => {
    expect(secondsUntilRetry(2, null, always(0))).toBe(20);
    const rng = seededRng('retries');
    const waits = Array.from({ length: 50 }, () => secondsUntilRetry(2, null, rng));
    expect(new Set(waits).size).toBeGreaterThan(40);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(20);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(40);
  });

  it('comes no sooner than the receiver asks for, but within a day', () => {
    expect(secondsUntilRetry(1, 3600, always(1))).toBe(3600);
    expect(secondsUntilRetry(1, 1, always(1))).toBe(10);
    expect(secondsUntilRetry(1, 999_999_999, always(1))).toBe(86_400);
  });

  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['Mon, 23 Nov 2026 10:00:30 GMT', 30],
    ['Mon, 23 Nov 2026 09:00:00 GMT', 0],
    ['-5', null],
    ['1e3', null],
    ['soon', null],
    ['9999999999', null],
    ['', null],
    [undefined, null],
  ])('reads Retry-After: %s', (header, seconds) => {
    expect(retryAfterSeconds(header, new Date('2026-11-23T10:00:00Z'))).toBe(seconds);
  });
});
