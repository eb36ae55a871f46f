import { describe, expect, it } from '@jest/globals';
import { versionDifference, type VersionScores } from './version-difference.js';

const scored = (value: number, standardError: number | null = 0.02) => ({
  value,
  low: null,
  high: null,
  standardError,
});

const FIRST: VersionScores = {
  datasets: [{ name: 'all', version: 1 }],
  weights: { all: 1 },
  scores: { all: scored(0.8) },
  own: [],
};
/** The same data with another round. */
const SECOND: VersionScores = {
  datasets: [...FIRST.datasets, { name: 'round-1', version: 1 }],
  weights: { all: 0.3, 'round-1': 0.7 },
  scores: { ...FIRST.scores, 'round-1': scored(0.6, 0.03) },
  own: [],
};

describe('the difference between benchmark versions', () => {
  it('counts the errors of shared data by the difference of its shares', () => {
    const { difference, p } = versionDifference(SECOND, FIRST)!;
    expect(difference.value).toBeCloseTo(0.3 * 0.8 + 0.7 * 0.6 - 0.8, 12);
    expect(difference.standardError).toBeCloseTo(Math.hypot(0.7 * 0.02, 0.7 * 0.03), 12);
    expect(difference.high! - difference.low!).toBeCloseTo(2 * 1.96 * difference.standardError!, 4);
    expect(p).toBeLessThan(1e-6);
  });

  it('takes other versions of a dataset as other data', () => {
    const again: VersionScores = { ...FIRST, datasets: [{ name: 'all', version: 2 }] };
    expect(versionDifference(again, FIRST)!.difference.standardError).toBeCloseTo(Math.hypot(0.02, 0.02), 12);
  });

  it('has no test where the data is the same, and where an error is unknown', () => {
    const untested = { p: null, difference: { low: null, high: null } };
    expect(versionDifference(FIRST, FIRST)).toMatchObject({ ...untested, difference: { value: 0 } });
    const unknown = { ...SECOND, scores: { ...SECOND.scores, 'round-1': scored(0.6, null) } };
    expect(versionDifference(unknown, FIRST)).toMatchObject(untested);
  });

  it('leaves out what was collected against the model, and needs a score on both versions', () => {
    expect(versionDifference({ ...SECOND, own: ['round-1'] }, FIRST)!.difference.value).toBe(0);
    expect(versionDifference({ ...SECOND, own: ['all', 'round-1'] }, FIRST)).toBeNull();
    expect(versionDifference(SECOND, { ...FIRST, scores: {} })).toBeNull();
  });
});
