import { describe, expect, it } from '@jest/globals';
import { project } from '../command.js';
import { slowestText, specTimes } from './slowest-specs.js';

describe('the slowest specs', () => {
  const none = { assertionResults: [] } as const;

  it('are named by their paths in the project, the slowest first', () => {
    const report = {
      testResults: [
        { ...none, name: '/home/me/assay/test/quick.spec.ts', startTime: 1000, endTime: 1500 },
        { ...none, name: '/home/me/assay/test/slow.spec.ts', startTime: 2000, endTime: 125_400 },
        { ...none, name: '/home/me/assay/test/usual.spec.ts', startTime: 2000, endTime: 3000 },
      ],
    };

    expect(slowestText(specTimes(report, '/home/me/assay'), 2)).toBe(
      ['The slowest specs:', '  123.4 s  test/slow.spec.ts', '    1.0 s  test/usual.spec.ts'].join('\n'),
    );
  });

  it('are distinguished in a suite by the titles of their tests', () => {
    const specs = ['scripts/test-lanes.spec.ts', 'scripts/services/test-count.spec.ts'];
    const test = (outermost: string, duration: number) => ({ ancestorTitles: [outermost], title: 'works', duration });
    const assertionResults = [
      test('lanes of tests', 1500),
      test('the count of a test run', 250),
      test('lanes of tests', 500),
    ];
    const report = { testResults: [{ name: '/tmp/1.spec.ts', startTime: 0, endTime: 9000, assertionResults }] };

    expect(specTimes(report, project, new Map([['/tmp/1.spec.ts', specs]]))).toEqual([
      { path: specs[0], seconds: 2 },
      { path: specs[1], seconds: 0.25 },
    ]);
  });
});
