import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './command.js';

/** A file that imports several specs: Jest loads what they have in common once, instead of once for each. */
export interface TestSuite {
  readonly path: string;
  /** Paths in the project. */
  readonly specs: readonly string[];
}

/** A hook outside of any `describe` would be one of the whole suite. */
const HOOK_OF_FILE = /^(?:before|after)(?:All|Each)\(/m;

/**
 * Writes suites of the specs below a folder of the project into `directory`. Together they have every spec once; one that has hooks outside of
 * any `describe` stays alone, and is among the returned paths as it is.
 * @param size specs of a suite, at most
 */
export function writeSuites(folder: string, directory: string, size: number): readonly TestSuite[] {
  const files = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' });
  const specs = files.filter((file) => file.endsWith('.spec.ts')).map((file) => join(folder, file));
  const alone = specs.filter((spec) => HOOK_OF_FILE.test(readFileSync(join(project, spec), 'utf8')));
  const together = specs.filter((spec) => !alone.includes(spec));
  const suites = dealt(together, Math.ceil(together.length / size));
  mkdirSync(directory, { recursive: true });
  return [
    ...alone.map((spec) => ({ path: join(project, spec), specs: [spec] })),
    ...suites.map((specs, index) => ({ path: written(specs, join(directory, `${index + 1}.spec.ts`)), specs })),
  ];
}

/** Deals specs out to suites, the largest first, so that all suites are about as large. */
function dealt(specs: readonly string[], count: number): readonly (readonly string[])[] {
  const suites = Array.from({ length: count }, () => ({ bytes: 0, specs: [] as string[] }));
  for (const spec of [...specs].sort((one, other) => bytesOf(other) - bytesOf(one))) {
    const smallest = suites.reduce((least, suite) => (suite.bytes < least.bytes ? suite : least));
    smallest.specs.push(spec);
    smallest.bytes += bytesOf(spec);
  }
  return suites.map((suite) => suite.specs);
}

function written(specs: readonly string[], path: string): string {
  writeFileSync(path, specs.map((spec) => `import ${JSON.stringify(join(project, spec))};\n`).join(''));
  return path;
}

const bytesOf = (spec: string): number => statSync(join(project, spec)).size;
