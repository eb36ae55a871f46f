import { describe, expect, it } from '@jest/globals';
import type { MeasuringLocks } from '../../host/measuring-locks.js';
import { QuietWindow } from './quiet-window.js';
import { TimeBudget } from '../session/time-budget.js';

const never = new AbortController().signal;

describe('what keeps models in the loop still', () => {
  it('is held for as long as the work takes, whether that ends well or not', async () => {
    const budget = new TimeBudget(60, 10);
    let held = 0;
    const timed: MeasuringLocks['timed'] = () => {
      held++;
      return Promise.resolve({ release: () => Promise.resolve(void (held -= 1)) });
    };
    const still = new QuietWindow(true, never, { timed });

    expect(await still.during(budget, () => Promise.resolve(held))).toBe(1);
    expect(held).toBe(0);
    await expect(still.during(budget, () => Promise.reject(new Error('it died')))).rejects.toThrow('it died');
    expect(held).toBe(0);
  });

  it('costs the model no time while it is waited for', async () => {
    let now = 0;
    const budget = new TimeBudget(60, 10, () => now);
    const timed: MeasuringLocks['timed'] = () => {
      now += 50_000;
      return Promise.resolve({ release: () => Promise.resolve() });
    };

    await new QuietWindow(true, never, { timed }).during(budget, () => Promise.resolve((now += 5_000)));

    expect(budget.left).toBe(55);
  });

  it('continues where the others do not come to rest, and ends where the run has to', async () => {
    const timed: MeasuringLocks['timed'] = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    const budget = new TimeBudget(60, 10);
    expect(await new QuietWindow(true, never, { timed }, 1).during(budget, () => Promise.resolve('done'))).toBe('done');

    const leaving = new AbortController();
    const work = new QuietWindow(true, leaving.signal, { timed }).during(budget, () => Promise.resolve('done'));
    leaving.abort(new Error('the lease is lost'));
    await expect(work).rejects.toThrow('the lease is lost');
  });

  it('does not hide that the host has no such lock', async () => {
    const timed: MeasuringLocks['timed'] = () => Promise.reject(new Error('no sockets'));
    const still = new QuietWindow(true, never, { timed });
    await expect(still.during(new TimeBudget(60, 10), () => Promise.resolve())).rejects.toThrow('no sockets');
  });
});
