import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, runNode } from './command.js';
import { fingerprint } from './fingerprint.js';

interface Target {
  readonly name: string;
  /** What it is made of. */
  readonly sources: readonly string[];
  /** What it makes: rebuilt when missing. */
  readonly output: string;
  /** A program of Node's with its arguments. */
  readonly command: readonly string[];
}

const shared = ['libs', 'sandboxes', 'tsconfig.json', 'nest-cli.json', 'package-lock.json', 'scripts/build.ts'];
const nest = 'node_modules/@nestjs/cli/bin/nest.js';

/** What has native parts, or talks to the machine: the CLI's package names them as dependencies. */
const external = ['dockerode', 'onnxruntime-node', 'tokenizers'].map((name) => `--external:${name}`);
const targets: readonly Target[] = [
  {
    name: 'api',
    sources: ['apps/api', ...shared],
    output: 'dist/apps/api/apps/api/src/main.js',
    command: [nest, 'build', 'api'],
  },
  {
    name: 'evaluator',
    sources: ['apps/evaluator', ...shared],
    output: 'dist/apps/evaluator/apps/evaluator/src/main.js',
    command: [nest, 'build', 'evaluator'],
  },
  {
    name: 'cli',
    sources: ['apps/cli', ...shared],
    output: 'dist/cli/assay.mjs',
    command: [
      'node_modules/esbuild/bin/esbuild',
      'apps/cli/src/main.ts',
      '--bundle',
      '--platform=node',
      '--target=node22',
      '--format=esm',
      '--legal-comments=none',
      '--log-level=warning',
      '--outfile=dist/cli/assay.mjs',
      // packages in CommonJS call require inside the bundle
      "--banner:js=import { createRequire as assayRequire } from 'node:module'; const require = assayRequire(import.meta.url);",
      ...external,
    ],
  },
];

/**
 * Builds what has changed since its last build, side by side, into dist/. Returns the names of what was built.
 * Throws, with the compilers' words, if something does not build.
 */
export async function build(): Promise<readonly string[]> {
  const stale = targets.filter((target) => !isBuilt(target));
  const results = await Promise.all(stale.map(async (target) => ({ target, problem: await make(target) })));
  const problems = results.flatMap(({ target, problem }) =>
    problem ? [`${target.name} does not build:\n${problem}`] : [],
  );
  if (problems.length) throw new Error(problems.join('\n\n'));
  return stale.map((target) => target.name);
}

async function make(target: Target): Promise<string | undefined> {
  // taken before, so that a change during the build is built by the next one
  const sources = fingerprintOf(target);
  rmSync(stamp(target), { force: true });
  const { code, output } = await runNode(target.command);
  if (code !== 0) return output.trim();
  mkdirSync(join(project, 'dist'), { recursive: true });
  writeFileSync(stamp(target), sources);
  return undefined;
}

function isBuilt(target: Target): boolean {
  return (
    existsSync(join(project, target.output)) &&
    existsSync(stamp(target)) &&
    readFileSync(stamp(target), 'utf8') === fingerprintOf(target)
  );
}

function fingerprintOf(target: Target): string {
  return fingerprint(project, target.sources, (path) => /\.(ts|mts|json)$/.test(path) && !path.endsWith('.spec.ts'));
}

function stamp(target: Target): string {
  return join(project, `dist/${target.name}.fingerprint`);
}

if (import.meta.main) {
  const started = performance.now();
  try {
    const built = await build();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(built.length ? `Built ${built.join(', ')} in ${seconds} s.` : 'Nothing changed since the last build.');
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
