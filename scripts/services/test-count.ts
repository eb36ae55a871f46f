/** The number of tests and checks by result. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of Jest's `--json` output that is counted. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** Counts the results of a report. A spec file that could not be run counts as one failure. */
export function countOf(report: JestReport): TestCount {
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function sum(counts: readonly TestCount[]): TestCount {
  const total = (key: keyof TestCount): number => counts.reduce((so, count) => so + count[key], 0);
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

/** Formats a count: `12 passed, 0 failed`, and the number of skipped tests if there are any. */
export function countText({ passed, failed, skipped }: TestCount): string {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}

/** True if nothing failed and at least one test passed. */
export function succeeded({ passed, failed }: TestCount): boolean {
  return failed === 0 && passed > 0;
}
