import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface TimedTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  /** In milliseconds; null for a test that did not run. */
  readonly duration?: number | null;
}

/** The part of Jest's `--json` output with the duration of each test file. */
export interface TimedReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly TimedTest[];
  }[];
}

export interface TimedSpec {
  readonly path: string;
  readonly seconds: number;
}

/**
 * Returns the duration of each spec in a report. For a suite of several specs the report only lists
 * the tests: they are assigned to specs by their outermost titles, and the time of hooks is not
 * included.
 * @param project the folder that paths are relative to
 * @param suites the specs of each suite file, as paths in the project
 */
export function specTimes(
  { testResults }: TimedReport,
  project: string,
  suites: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly TimedSpec[] {
  return testResults.flatMap(({ name, startTime, endTime, assertionResults }) => {
    const specs = suites.get(name);
    if (specs) return timesInSuite(assertionResults, project, specs);
    const path = name.startsWith(`${project}/`) ? name.slice(project.length + 1) : name;
    return [{ path, seconds: (endTime - startTime) / 1000 }];
  });
}

/** Returns lines that name the slowest specs, slowest first. */
export function slowestText(specs: readonly TimedSpec[], count = 10): string {
  const slowest = [...specs].sort((one, other) => other.seconds - one.seconds).slice(0, count);
  const lines = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
  return ['The slowest specs:', ...lines].join('\n');
}

function timesInSuite(tests: readonly TimedTest[], project: string, specs: readonly string[]): readonly TimedSpec[] {
  const sources = specs.map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') }));
  const seconds = new Map<string, number>();
  for (const { ancestorTitles, title, duration } of tests) {
    const outermost = ancestorTitles[0] ?? title;
    // a title with a placeholder differs from the source
    const path = sources.find(({ text }) => text.includes(outermost))?.path ?? `${specs[0]} … (${outermost})`;
    seconds.set(path, (seconds.get(path) ?? 0) + (duration ?? 0) / 1000);
  }
  return [...seconds].map(([path, sum]) => ({ path, seconds: sum }));
}
