import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatedWork } from './repeated-work.js';

describe('RepeatedWork', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('does not begin again while the last time is under way, and continues after a failure', async () => {
    const warn = jest.fn();
    const work = new RepeatedWork({ warn });
    const under: PromiseWithResolvers<undefined>[] = [];
    work.every(10, () => {
      under.push(Promise.withResolvers<undefined>());
      return under.at(-1)!.promise.then(() => undefined);
    });
    await jest.advanceTimersByTimeAsync(35);
    expect(under).toHaveLength(1);

    under[0]!.reject(new Error('not this time'));
    await jest.advanceTimersByTimeAsync(10);
    expect(warn).toHaveBeenCalledWith('not this time');
    expect(under).toHaveLength(2);

    work.stop();
    under[1]!.resolve(undefined);
    await jest.advanceTimersByTimeAsync(50);
    expect(under).toHaveLength(2);
  });
});
