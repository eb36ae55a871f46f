import { describe, expect, it } from '@jest/globals';
import { failedTests, failedText } from './failed-tests.js';

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
    const failed = failedTests({
      testResults: [
        { ...file, assertionResults: [test('ranks them')] },
        { ...file, status: 'failed', assertionResults: [test('shows them'), test('counts them', message)] },
      ],
    });

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
    const failed = failedTests({ testResults: [{ ...file, status: 'failed', message, assertionResults: [] }] });

    expect(failed).toEqual([{ title: file.name, why: message }]);
  });

  it('are cut to some lines each', () => {
    const text = failedText([{ title: 'waits', why: 'one\ntwo\nthree' }], '/home/me/assay', 2);

    expect(text.split('\n').slice(0, -2)).toEqual(['Why tests failed:', '  waits', '      one', '      two']);
  });
});
