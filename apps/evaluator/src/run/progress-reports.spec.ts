import { describe, expect, it } from '@jest/globals';
import { coarseProgress } from './progress-reports.js';

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
