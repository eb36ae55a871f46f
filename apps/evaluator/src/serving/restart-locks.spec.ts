import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RestartLocks } from './restart-locks.js';

const OWNERS = ['ada'];

describe('RestartLocks', () => {
  let restarts: RestartLocks;
  let isFree: boolean;
  const release = jest.fn(() => Promise.resolve());
  const tryRestart = jest.fn(() => Promise.resolve(isFree ? { release } : null));

  beforeEach(() => {
    jest.useFakeTimers();
    jest.clearAllMocks();
    isFree = true;
    restarts = new RestartLocks({ tryRestart });
  });

  afterEach(() => void jest.useRealTimers());

  it('keep a lock for as long as its deployment comes back', async () => {
    for (let time = 0; time < 3; time++) {
      restarts.returned('one');
      await restarts.keep('one', OWNERS);
      await jest.advanceTimersByTimeAsync(14_000);
    }
    restarts.returned('one');
    await jest.advanceTimersByTimeAsync(60_000);

    expect(tryRestart.mock.calls).toEqual([[OWNERS]]);
    expect(release).not.toHaveBeenCalled();
  });

  it('release a lock whose deployment does not come back', async () => {
    await restarts.keep('one', OWNERS);
    await jest.advanceTimersByTimeAsync(15_000);

    expect(release).toHaveBeenCalledTimes(1);
  });

  it('release a lock once', async () => {
    await restarts.keep('one', OWNERS);
    await restarts.release('one');
    await restarts.release('one');
    await restarts.releaseAll();
    await jest.advanceTimersByTimeAsync(15_000);

    expect(release).toHaveBeenCalledTimes(1);
  });

  it('do without a lock that another deployment of the owner holds', async () => {
    isFree = false;
    await restarts.keep('one', OWNERS);
    isFree = true;
    await restarts.keep('one', OWNERS);
    await restarts.releaseAll();

    expect(tryRestart).toHaveBeenCalledTimes(2);
    expect(release).toHaveBeenCalledTimes(1);
  });
});
