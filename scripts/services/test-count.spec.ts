import { describe, expect, it } from '@jest/globals';
import { countOf, countText, succeeded, sum } from './test-count.js';

describe('the count of a test run', () => {
  const report = {
    numPassedTests: 7,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 1,
  };

  it('counts a spec file that could not run as a failure', () => {
    expect(countText(countOf(report))).toBe('7 passed, 2 failed, 2 skipped');
  });

  it('says nothing of skipped tests where there are none', () => {
    expect(
      countText(
        sum([
          { passed: 1, failed: 0, skipped: 0 },
          { passed: 2, failed: 0, skipped: 0 },
        ]),
      ),
    ).toBe('3 passed, 0 failed');
  });

  it('is no success when nothing was tested', () => {
    expect(succeeded(sum([]))).toBe(false);
  });
});
