import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './command.js';

/** A file that imports several specs, so that Jest loads their common modules only once. */
export interface TestSuite {
  readonly path: string;
  /** As paths in the project. */
  readonly specs: readonly string[];
}

/**
 * Matches specs that cannot share a suite: hooks outside a `describe` would apply to the whole
 * suite, and replaced globals, modules or timers, or measurements of time and memory, would affect
 * the others or be affected by them.
 */
const ALONE =
  /^(?:before|after)(?:All|Each)\(|jest\.(?:spyOn|useFakeTimers)|mockModule|setGlobal|process\.env\[.*\] = |memoryUsage|heapUsed|performance\.now/m;

/**
 * Writes suites of `specs`, which are paths in the project, into `directory`. Every spec is in
 * exactly one of the returned suites; a spec that must run alone is returned with its own path.
 * @param size the maximum number of specs in a suite
 */
export function writeSuites(specs: readonly string[], directory: string, size: number): readonly TestSuite[] {
  const alone = specs.filter((spec) => ALONE.test(readFileSync(join(project, spec), 'utf8')));
  const together = specs.filter((spec) => !alone.includes(spec));
  const suites = dealt(together, Math.ceil(together.length / size));
  mkdirSync(directory, { recursive: true });
  return [
    ...alone.map((spec) => ({ path: join(project, spec), specs: [spec] })),
    ...suites.map((specs, index) => ({
      path: specs.length === 1 ? join(project, specs[0]!) : written(specs, join(directory, `${index + 1}.spec.ts`)),
      specs,
    })),
  ];
}

/** Returns the spec files below a folder, as paths in the project. */
export function specsBelow(folder: string): readonly string[] {
  const files = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.spec.ts')).map((file) => join(folder, file));
}

/** Distributes specs over suites of about the same size, largest first. */
function dealt(specs: readonly string[], count: number): readonly (readonly string[])[] {
  const suites = Array.from({ length: count }, () => ({ bytes: 0, specs: [] as string[] }));
  for (const spec of [...specs].sort((one, other) => bytesOf(other) - bytesOf(one))) {
    const open = suites.filter((suite) => suite.specs.length < Math.ceil(specs.length / count));
    const smallest = open.reduce((least, suite) => (suite.bytes < least.bytes ? suite : least));
    smallest.specs.push(spec);
    smallest.bytes += bytesOf(spec);
  }
  return suites.map((suite) => suite.specs);
}

function written(specs: readonly string[], path: string): string {
  const imports = specs.map((spec) => `import ${JSON.stringify(join(project, spec.replace(/\.ts$/, '')))};\n`);
  writeFileSync(path, imports.join(''));
  return path;
}

const bytesOf = (spec: string): number => statSync(join(project, spec)).size;
