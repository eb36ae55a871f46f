import { describe, expect, it } from '@jest/globals';
import { readingSeconds, withinDeadline } from './reading-deadline.js';

describe('the deadline of reading an artifact', () => {
  it('grows with what may be unpacked', () => {
    expect(readingSeconds(100e6)).toBe(70);
    expect(readingSeconds(20e9)).toBe(2060);
  });

  it.each([10 * 2 ** 40, 100 * 2 ** 40])(
    'is one that a timer can take where %d bytes may be unpacked',
    async (bytes) => {
      const done: string[] = [];
      const seconds = readingSeconds(bytes);
      const fail = () => Promise.reject(new Error('failed'));

      await withinDeadline({ seconds, signal: new AbortController().signal, fail }, (signal) => {
        done.push(signal.aborted ? 'aborted' : 'worked');
        return Promise.resolve();
      });

      expect(done).toEqual(['worked']);
      expect(seconds * 1000).toBeLessThan(2 ** 31);
    },
  );
});
