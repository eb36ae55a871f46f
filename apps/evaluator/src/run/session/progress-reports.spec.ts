import type { SandboxData } from '@assay/sandbox';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Progress } from '../../gateway/leased-run.js';
import { coarseProgress, ProgressReports } from './progress-reports.js';

describe('coarseProgress', () => {
  it('has ten steps at most, and one digit of the rate', () => {
    const told = Array.from({ length: 641 }, (_, done) =>
      coarseProgress({ done, examplesPerSecond: 100 + done / 1000 }, 640),
    );
    expect(new Set(told.map(({ done }) => done)).size).toBe(11);
    expect(new Set(told.map(({ examplesPerSecond }) => examplesPerSecond))).toEqual(new Set([100]));
    expect(told.at(0)).toMatchObject({ done: 0 });
    expect(told.at(-1)).toMatchObject({ done: 640 });
  });

  it('tells of a small dataset no more examples than were answered', () => {
    for (let done = 0; done <= 7; done++) {
      expect(coarseProgress({ done, examplesPerSecond: 1 }, 7).done).toBeLessThanOrEqual(done);
    }
  });
});

describe('ProgressReports', () => {
  let now: number;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** The examples of each report on a dataset of 200, of which one more is answered every `milliseconds`. */
  function reported(data: SandboxData, milliseconds: number): number[] {
    const sent: number[] = [];
    const run = { progress: (_dataset: string, { done }: Progress) => void sent.push(done) };
    const dataset = { id: 'one', version: 'one', visibility: 'public', isOriginal: true, examples: 200 } as const;
    const report = new ProgressReports(run).of(dataset, data);
    for (let done = 1; done <= 200; done++) {
      now += milliseconds;
      report(done);
    }
    return sent;
  }

  it('sends at most two a second, and the last', () => {
    const all = Array.from({ length: 200 }, (_, n) => n + 1);
    expect(reported('readable', 500)).toEqual(all);
    expect(reported('readable', 250)).toEqual([...all.filter((done) => done % 2 === 1), 200]);
  });

  it('sends none on hidden data before a tenth of it, and one for each tenth', () => {
    expect(reported('hidden', 500)).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 200]);
  });
});
