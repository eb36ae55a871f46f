import { describe, expect, it } from '@jest/globals';
import { project } from '../command.js';
import {
  countOf,
  countText,
  failedTests,
  failedText,
  type JestReport,
  slowestText,
  specTimes,
  succeeded,
  sum,
} from './jest-report.js';

const reportOf = (part: object): JestReport => part as JestReport;

describe('the failed tests', () => {
  const test = (title: string, ...failureMessages: string[]) => ({
    ancestorTitles: ['a board', 'with two models'],
    title,
    status: failureMessages.length > 0 ? 'failed' : 'passed',
    failureMessages,
  });
  const file = { name: '/home/me/assay/test/board.spec.ts', message: '', status: 'passed' };

  it('are named by their titles, with the message and the place in the project', () => {
    const message = [
      'Error: \u001B[2mexpect(\u001B[22mreceived).toBe(expected)',
      '',
      'Expected: 1',
      'Received: 2',
      '    at Object.toBe (/home/me/assay/node_modules/expect/index.js:1:1)',
      '    at Object.<anonymous> (/home/me/assay/test/board.spec.ts:7:20)',
    ].join('\n');
    const failed = failedTests(
      reportOf({
        testResults: [
          { ...file, assertionResults: [test('ranks them')] },
          { ...file, status: 'failed', assertionResults: [test('shows them'), test('counts them', message)] },
        ],
      }),
    );

    expect(failedText(failed, '/home/me/assay')).toBe(
      [
        'Why tests failed:',
        '  a board › with two models › counts them',
        '      Error: expect(received).toBe(expected)',
        '      Expected: 1',
        '      Received: 2',
        '      at Object.<anonymous> (test/board.spec.ts:7:20)',
        'The failed tests:',
        '  a board › with two models › counts them',
      ].join('\n'),
    );
  });

  it('include a file that could not run', () => {
    const message = '  ● Test suite failed to run\n\n    Cannot find module';
    const failed = failedTests(
      reportOf({ testResults: [{ ...file, status: 'failed', message, assertionResults: [] }] }),
    );

    expect(failed).toEqual([{ title: file.name, why: message }]);
  });

  it('are cut to some lines each', () => {
    const text = failedText([{ title: 'waits', why: 'one\ntwo\nthree' }], '/home/me/assay', 2);

    expect(text.split('\n').slice(0, -2)).toEqual(['Why tests failed:', '  waits', '      one', '      two']);
  });
});

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

    expect(slowestText(specTimes(reportOf(report), '/home/me/assay'), 2)).toBe(
      ['The slowest specs:', '  123.4 s  test/slow.spec.ts', '    1.0 s  test/usual.spec.ts'].join('\n'),
    );
  });

  it('are distinguished in a suite by the titles of their tests', () => {
    const specs = ['scripts/test-lanes.spec.ts', 'scripts/services/progress.spec.ts'];
    const test = (outermost: string, duration: number) => ({ ancestorTitles: [outermost], title: 'works', duration });
    const assertionResults = [
      test('lanes of tests', 1500),
      test('the progress of a start', 250),
      test('lanes of tests', 500),
    ];
    const report = { testResults: [{ name: '/tmp/1.spec.ts', startTime: 0, endTime: 9000, assertionResults }] };

    expect(specTimes(reportOf(report), project, new Map([['/tmp/1.spec.ts', specs]]))).toEqual([
      { path: specs[0], seconds: 2 },
      { path: specs[1], seconds: 0.25 },
    ]);
  });

  it('belong to the spec that has the title, not to one that only mentions its words', () => {
    const specs = ['test/e2e/operations.spec.ts', 'test/e2e/dashboard.spec.ts'];
    const assertionResults = [{ ancestorTitles: ['the dashboard'], title: 'works', duration: 1000 }];
    const report = { testResults: [{ name: '/tmp/1.spec.ts', startTime: 0, endTime: 9000, assertionResults }] };

    expect(specTimes(reportOf(report), project, new Map([['/tmp/1.spec.ts', specs]]))).toEqual([
      { path: specs[1], seconds: 1 },
    ]);
  });
});

describe('the count of a test run', () => {
  const report = {
    numPassedTests: 7,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 1,
  };

  it('counts a spec file that could not run as a failure', () => {
    expect(countText(countOf(reportOf(report)))).toBe('7 passed, 2 failed, 2 skipped');
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
