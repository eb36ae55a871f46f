import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, projectText } from './command.js';
import { sourceFiles } from './services/source-files.js';

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
  const { alone = [], together = [] } = Object.groupBy(specs, (spec) =>
    ALONE.test(projectText(spec)) ? 'alone' : 'together',
  );
  const count = Math.ceil(together.length / size);
  const bytesOf = (spec: string): number => statSync(join(project, spec)).size;
  const suites = distributed(together, count, bytesOf, Math.ceil(together.length / count));
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
  return sourceFiles([folder]).filter((path) => path.endsWith('.spec.ts'));
}

/**
 * Distributes specs over `count` groups of about the same weight, heaviest first.
 * @param most the maximum number of specs in a group
 */
export function distributed(
  specs: readonly string[],
  count: number,
  weightOf: (spec: string) => number,
  most = Infinity,
): readonly (readonly string[])[] {
  const groups = Array.from({ length: count }, () => ({ weight: 0, specs: [] as string[] }));
  for (const spec of specs.toSorted((one, other) => weightOf(other) - weightOf(one))) {
    const open = groups.filter((group) => group.specs.length < most);
    const lightest = open.reduce((least, group) => (group.weight < least.weight ? group : least));
    lightest.specs.push(spec);
    lightest.weight += weightOf(spec);
  }
  return groups.map((group) => group.specs);
}

function written(specs: readonly string[], path: string): string {
  const imports = specs.map((spec) => `import ${JSON.stringify(join(project, spec.replace(/\.ts$/, '')))};\n`);
  writeFileSync(path, imports.join(''));
  return path;
}
