import { stripVTControlCharacters } from 'node:util';
import { projectText } from '../command.js';

/** The part of Jest's `--json` output that is read. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    /** Jest's output for the file. */
    readonly message: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly JestTest[];
  }[];
}

interface JestTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  /** In milliseconds; null for a test that did not run. */
  readonly duration?: number | null;
  readonly failureMessages?: readonly string[] | null;
}

/** The number of tests and checks by result. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface FailedTest {
  /** All titles from the outermost on, or the file of a spec that did not run. */
  readonly title: string;
  /** The message and its stack, without colours. */
  readonly why: string;
}

export interface TimedSpec {
  readonly path: string;
  readonly seconds: number;
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

/** The failed tests of a report, and the files that could not run. */
export function failedTests({ testResults }: JestReport): readonly FailedTest[] {
  return testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [{ title: name, why: stripVTControlCharacters(message) }];
    return failed.map(({ ancestorTitles, title, failureMessages }) => ({
      title: [...ancestorTitles, title].join(' › '),
      why: stripVTControlCharacters((failureMessages ?? []).join('\n')),
    }));
  });
}

/**
 * Returns lines that describe the failed tests: of each the first `lines` lines of its message, and
 * where in the project it failed. The last lines contain the titles alone, because a service that
 * runs the tests may show only the end of a long output.
 * @param project the folder that paths are below
 */
export function failedText(failed: readonly FailedTest[], project: string, lines = 8): string {
  const shown = failed.map(({ title, why }) => {
    const all = why.split('\n').map((line) => line.trimEnd().replaceAll(`${project}/`, ''));
    const isCall = (line: string): boolean => /^\s+at /.test(line);
    const said = all.filter((line) => line !== '' && !isCall(line)).slice(0, lines);
    const place = all.find((line) => isCall(line) && !/node_modules|node:internal/.test(line));
    return [`  ${title}`, ...[...said, ...(place ? [place.trim()] : [])].map((line) => `      ${line}`)].join('\n');
  });
  return ['Why tests failed:', ...shown, 'The failed tests:', ...failed.map(({ title }) => `  ${title}`)].join('\n');
}

/**
 * Returns the duration of each spec in a report. For a suite of several specs the report only lists
 * the tests: they are assigned to specs by their outermost titles, and the time of hooks is not
 * included.
 * @param project the folder that paths are relative to
 * @param suites the specs of each suite file, as paths in the project
 */
export function specTimes(
  { testResults }: JestReport,
  project: string,
  suites: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly TimedSpec[] {
  return testResults.flatMap(({ name, startTime, endTime, assertionResults }) => {
    const specs = suites.get(name);
    if (specs) return timesInSuite(assertionResults, specs);
    const path = name.startsWith(`${project}/`) ? name.slice(project.length + 1) : name;
    return [{ path, seconds: (endTime - startTime) / 1000 }];
  });
}

/** Returns lines that name the slowest specs, slowest first. */
export function slowestText(specs: readonly TimedSpec[], count = 10): string {
  const slowest = specs.toSorted((one, other) => other.seconds - one.seconds).slice(0, count);
  const lines = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
  return ['The slowest specs:', ...lines].join('\n');
}

function timesInSuite(tests: readonly JestTest[], specs: readonly string[]): readonly TimedSpec[] {
  const sources = specs.map((path) => ({ path, text: projectText(path) }));
  const byPath = Map.groupBy(tests, ({ ancestorTitles, title }) => {
    const outermost = ancestorTitles[0] ?? title;
    // a title with a placeholder differs from the source
    const titles = [`('${outermost}'`, `("${outermost}"`, `(\`${outermost}\``];
    const source = sources.find(({ text }) => titles.some((each) => text.includes(each)));
    return source?.path ?? `${specs[0]} … (${outermost})`;
  });
  return [...byPath].map(([path, ofSpec]) => ({
    path,
    seconds: ofSpec.reduce((seconds, { duration }) => seconds + (duration ?? 0) / 1000, 0),
  }));
}
