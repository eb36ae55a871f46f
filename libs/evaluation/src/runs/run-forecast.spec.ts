import { describe, expect, it } from '@jest/globals';
import type { QueuePlace, RunningRun } from './queue-place.repository.js';
import { runForecast } from './run-forecast.js';

const NOW = 1_000_000;

const running = (cpus: number | null, endsIn: number, host = 'gpu'): RunningRun => ({
  ...{ host, cpus, models: [] },
  since: NOW - 60_000,
  expectedSeconds: 60 + endsIn,
});

/** Returns the seconds until a run of 10 seconds starts and ends. */
function forecast(place: Partial<QueuePlace>): { readonly startsIn: number | null; readonly endsIn: number | null } {
  const stage: QueuePlace = {
    ...{ now: NOW, queuedAt: NOW, notBefore: null, leasedAt: null, expectedSeconds: 10, cpus: 1 },
    ...{ before: [], waiting: 1, isAnyOnline: true, hosts: [{ name: 'gpu', slots: 4 }], running: [] },
    ...place,
  };
  const { start, end } = runForecast({ stage, later: null });
  const secondsUntil = (time: number | null) => (time === null ? null : (time - NOW) / 1000);
  return { startsIn: secondsUntil(start), endsIn: secondsUntil(end) };
}

describe('runForecast', () => {
  it('starts a narrow run on an idle core, and a wide one when enough cores are free', () => {
    const held = [running(2, 5), running(1, 9)];

    expect(forecast({ running: held })).toEqual({ startsIn: 0, endsIn: 10 });
    expect(forecast({ running: held, cpus: 3 })).toEqual({ startsIn: 5, endsIn: 15 });
    expect(forecast({ running: held, cpus: 4 })).toEqual({ startsIn: 9, endsIn: 19 });
    expect(forecast({ running: held, cpus: 1.5 })).toEqual({ startsIn: 5, endsIn: 15 });
  });

  it('lets no narrow run start before a wide one that precedes it', () => {
    const before = [{ cpus: 4, expectedSeconds: 20 }];
    expect(forecast({ running: [running(1, 5)], before })).toEqual({ startsIn: 25, endsIn: 35 });

    const other = { hosts: ['gpu', 'cpu'].map((name) => ({ name, slots: 4 })) };
    const busy = [running(1, 5), running(1, 8, 'cpu')];
    expect(forecast({ ...other, running: busy, before })).toEqual({ startsIn: 5, endsIn: 15 });
  });

  it('runs what fits beside each other', () => {
    const before = [2, 1].map((cpus) => ({ cpus, expectedSeconds: 20 }));
    expect(forecast({ before })).toEqual({ startsIn: 0, endsIn: 10 });
    expect(forecast({ before, cpus: 2 })).toEqual({ startsIn: 20, endsIn: 30 });
  });

  it('gives no run the cores of two hosts', () => {
    const hosts = ['gpu', 'cpu'].map((name) => ({ name, slots: 2 }));
    const held = [running(1, 6), running(1, 4, 'cpu')];
    expect(forecast({ hosts, running: held, cpus: 2 })).toEqual({ startsIn: 4, endsIn: 14 });
    // a host gives a wider run all that it has
    expect(forecast({ hosts, running: held, cpus: 3 })).toEqual({ startsIn: 4, endsIn: 14 });
  });

  it('keeps everything waiting for a run that takes the host alone', () => {
    expect(forecast({ running: [running(null, 30)] })).toEqual({ startsIn: 30, endsIn: 40 });
    // it was leased beside another, and waits until that has ended
    expect(forecast({ running: [running(2, 5), running(null, 30)] })).toEqual({ startsIn: 30, endsIn: 40 });
    expect(forecast({ running: [running(1, 7)], before: [{ cpus: null, expectedSeconds: 20 }] })).toEqual({
      startsIn: 27,
      endsIn: 37,
    });
  });

  it('knows no start if too few cores become free at a known time', () => {
    const unknown = { ...running(3, 0), expectedSeconds: null };
    expect(forecast({ running: [unknown] })).toEqual({ startsIn: 0, endsIn: 10 });
    expect(forecast({ running: [unknown], cpus: 2 })).toEqual({ startsIn: null, endsIn: null });
  });
});
