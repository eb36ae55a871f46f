import { stripVTControlCharacters } from 'node:util';

/** The part of Jest's `--json` output that says which tests failed, and of what. */
export interface FailedReport {
  readonly testResults: readonly {
    readonly name: string;
    /** Jest's output for the file. */
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

export interface FailedTest {
  /** All titles from the outermost on, or the file of a spec that did not run. */
  readonly title: string;
  /** The message and its stack, without colours. */
  readonly why: string;
}

/** The failed tests of a report, and the files that could not run. */
export function failedTests({ testResults }: FailedReport): readonly FailedTest[] {
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
