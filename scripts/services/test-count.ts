/** Of tests and checks together. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of Jest's `--json` output that counts. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** A spec file that could not even run counts as one failure. */
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

/** `12 passed, 0 failed`, and how many were skipped if any. */
export function countText({ passed, failed, skipped }: TestCount): string {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}

/** Nothing failed, and something was tested at all. */
export function succeeded({ passed, failed }: TestCount): boolean {
  return failed === 0 && passed > 0;
}
