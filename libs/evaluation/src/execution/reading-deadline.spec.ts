import { describe, expect, it } from '@jest/globals';
import type { RunLease } from '../runs/run-lease.js';
import { readingSeconds, withinDeadline } from './reading-deadline.js';
import type { RunMaterial } from './run-material.js';

describe('the deadline of reading an artifact', () => {
  const seconds = (unpacked: number) => readingSeconds({ artifact: { size: 1 }, definition: { limits: { unpacked } } });

  it('grows with what may be unpacked', () => {
    expect(seconds(100e6)).toBe(70);
    expect(seconds(20e9)).toBe(2060);
  });

  it.each([10 * 2 ** 40, 100 * 2 ** 40])(
    'is one that a timer can take where %d bytes may be unpacked',
    async (unpacked) => {
      const done: string[] = [];
      const work = withinDeadline(
        (_lease, _material, signal) => {
          done.push(signal.aborted ? 'aborted' : 'worked');
          return Promise.resolve();
        },
        () => seconds(unpacked),
      );

      await work({} as RunLease, {} as RunMaterial, new AbortController().signal);

      expect(done).toEqual(['worked']);
      expect(seconds(unpacked) * 1000).toBeLessThan(2 ** 31);
    },
  );
});
