import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { isFlat, trendOf } from './growth.js';
import type { SoakSample } from './watch.js';

/** MiB a minute. */
const MOST = 1;

describe('growth over half an hour', () => {
  it('is excluded where what is kept comes and goes by a few MiB', () => {
    expect(isFlat(trend(drawn({ growth: 0, noise: 8 })), MOST)).toBe(true);
  });

  it('is excluded where what there is grows by less than the limit', () => {
    expect(isFlat(trend(drawn({ growth: 0.5, noise: 2 })), MOST)).toBe(true);
  });

  it('is reported where it exists', () => {
    expect(isFlat(trend(drawn({ growth: 2, noise: 8 })), MOST)).toBe(false);
  });

  it('is not excluded by noise in which as much could hide', () => {
    const found = trend(drawn({ growth: 0, noise: 60 }));

    expect(found.low).toBeLessThan(0);
    expect(isFlat(found, MOST)).toBe(false);
  });

  it('is not excluded by what was looked at twice', () => {
    expect(isFlat(trend([100, 100]), MOST)).toBe(false);
  });

  it('leaves out the first third, in which all is new', () => {
    const early = Array.from({ length: 30 }, (_, minute) => Math.min(100 + 20 * minute, 300));

    expect(trend(early)).toMatchObject({ slope: 0, low: 0, high: 0, first: 300, last: 300 });
  });

  it('counts the least of each minute', () => {
    const samples = Array.from({ length: 360 }, (_, index) => sampleAt(5 * (index + 1), index % 12 === 0 ? 100 : 900));

    expect(trendOf(samples, ({ apiRetainedMiB }) => apiRetainedMiB)).toMatchObject({ slope: 0, first: 100, last: 100 });
  });
});

/** Returns the retained MiB of each of thirty minutes. */
function drawn({ growth, noise }: { readonly growth: number; readonly noise: number }): readonly number[] {
  const rng = seededRng('growth');
  return Array.from({ length: 30 }, (_, minute) => 200 + growth * minute + noise * (2 * rng.next() - 1));
}

const trend = (kept: readonly number[]) =>
  trendOf(
    kept.map((value, minute) => sampleAt(60 * (minute + 1) - 1, value)),
    ({ apiRetainedMiB }) => apiRetainedMiB,
  );

const sampleAt = (seconds: number, apiRetainedMiB: number): SoakSample => ({
  seconds,
  apiRetainedMiB,
  apiMiB: 0,
  workerMiB: 0,
  evaluatorMiB: 0,
  workerRetainedMiB: null,
  evaluatorRetainedMiB: null,
  apiHeldMiB: null,
  workerHeldMiB: null,
  evaluatorHeldMiB: null,
  apiFiles: 0,
  clients: 0,
  workerFiles: 0,
  evaluatorFiles: 0,
  connections: 0,
  throughput: 0,
  readP50: null,
  readP99: null,
  errors: 0,
});
