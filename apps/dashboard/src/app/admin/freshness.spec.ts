import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { everyWhileVisible } from './freshness.js';

describe('what is done while a page is seen', () => {
  const act = jest.fn();
  let state: DocumentVisibilityState = 'visible';
  let stop: () => void = () => undefined;

  const turn = (to: DocumentVisibilityState): void => {
    state = to;
    document.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(document, 'visibilityState', 'get').mockImplementation(() => state);
    state = 'visible';
    act.mockClear();
    stop = everyWhileVisible(document, 10_000, act);
  });
  afterEach(() => {
    stop();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('is done again and again, first after one length', () => {
    expect(act).toHaveBeenCalledTimes(0);
    jest.advanceTimersByTime(30_000);
    expect(act).toHaveBeenCalledTimes(3);
  });

  it('rests while nobody looks, and is done at once when they come back', () => {
    turn('hidden');
    jest.advanceTimersByTime(60_000);
    expect(act).toHaveBeenCalledTimes(0);
    turn('visible');
    expect(act).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(10_000);
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('ends', () => {
    stop();
    turn('hidden');
    turn('visible');
    jest.advanceTimersByTime(60_000);
    expect(act).toHaveBeenCalledTimes(0);
  });
});
