import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { project, runNode, successful } from './command.js';
import { fingerprint } from './fingerprint.js';
import { generateClient } from './generate-client.js';

interface Target {
  readonly name: string;
  /** Files and folders that the target is built from. */
  readonly sources: readonly string[];
  /** The file that the target produces. Rebuilt if it is missing. */
  readonly output: string;
  /** Throws the errors of the compiler. */
  readonly make: () => Promise<unknown>;
}

const shared = ['libs', 'sandboxes', 'tsconfig.json', 'package-lock.json', 'scripts/build.ts'];

/** Packages with native parts, which cannot be bundled. The Docker client works without them. */
const external = ['cpu-features', '*.node'];
const targets: readonly Target[] = [
  {
    // the API, the worker and the evaluator, which have most of their code in common
    name: 'services',
    sources: ['apps/api', 'apps/worker', 'apps/evaluator', 'nest-cli.json', 'tsconfig.build.json', ...shared],
    output: 'dist/services/apps/api/src/main.js',
    make: () => successful(runNode(['node_modules/@nestjs/cli/bin/nest.js', 'build'])),
  },
  {
    name: 'cli',
    sources: ['apps/cli', ...shared],
    output: 'dist/cli/assay.mjs',
    make: () => bundle('apps/cli/src/main.ts', 'dist/cli/assay.mjs'),
  },
  {
    name: 'dashboard',
    sources: [
      'apps/dashboard',
      'libs/api-client',
      'libs/kernel',
      'libs/scoring',
      'angular.json',
      'package-lock.json',
      'scripts/build.ts',
    ],
    // written last
    output: 'dist/dashboard/browser/crowd/index.html',
    make: angularBuild,
  },
];

/**
 * Builds the targets that have changed since their last build, in parallel, into dist/: all, or the
 * named ones. Returns the names of the targets that were built.
 *
 * @throws Error with the output of the compilers if a target does not build
 */
export async function build(names = targets.map(({ name }) => name)): Promise<readonly string[]> {
  await generateClient();
  const stale = targets.filter((target) => names.includes(target.name) && !isBuilt(target));
  await allOf(
    stale.map((target) =>
      make(target).catch((error: unknown) => {
        throw new Error(`${target.name} does not build:\n${(error as Error).message}`);
      }),
    ),
  );
  return stale.map((target) => target.name);
}

/** Waits for all, and throws an error with the messages of those that failed. */
async function allOf(running: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => (reason as Error).message).join('\n\n'));
}

async function make(target: Target): Promise<void> {
  // computed before the build, so that the next build covers a change during this one
  const sources = fingerprintOf(target);
  rmSync(stamp(target), { force: true });
  await target.make();
  mkdirSync(join(project, 'dist'), { recursive: true });
  writeFileSync(stamp(target), sources);
}

/** Builds the dashboard, and the page of crowd workers into its folder `crowd`. */
async function angularBuild(): Promise<void> {
  const environment = { NG_CLI_ANALYTICS: 'false', FORCE_COLOR: '0' };
  await allOf(
    ['dashboard', 'crowd'].map((name) =>
      successful(runNode(['node_modules/@angular/cli/bin/ng.js', 'build', name], { environment })),
    ),
  );
  const folder = join(project, 'dist/dashboard/browser');
  // the build of the dashboard has emptied the folder
  renameSync(join(project, 'dist/crowd/browser'), join(folder, 'crowd'));
  compressFiles(folder);
}

/** Writes a Brotli version next to each text file. The API serves it to browsers unchanged. */
function compressFiles(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg|json)$/.test(name)) continue;
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(readFileSync(join(folder, name))));
  }
}

/** Bundles a program into one file, without the external packages. */
async function bundle(entry: string, output: string): Promise<void> {
  const createRequire = "import { createRequire as requireFor } from 'node:module';";
  const names = 'const require = requireFor(import.meta.url), __dirname = import.meta.dirname;';
  try {
    await esbuild.build({
      entryPoints: [join(project, entry)],
      outfile: join(project, output),
      absWorkingDir: project,
      bundle: true,
      platform: 'node',
      target: 'node22',
      format: 'esm',
      legalComments: 'none',
      logLevel: 'silent',
      external,
      // CommonJS packages use `require` and `__dirname` inside the bundle
      banner: { js: `${createRequire} ${names}` },
    });
  } catch (error) {
    const { errors = [] } = error as Partial<esbuild.BuildFailure>;
    const texts = errors.length > 0 ? await esbuild.formatMessages(errors, { kind: 'error' }) : [String(error)];
    throw new Error(texts.join('\n'));
  }
}

function isBuilt(target: Target): boolean {
  return (
    existsSync(join(project, target.output)) &&
    existsSync(stamp(target)) &&
    readFileSync(stamp(target), 'utf8') === fingerprintOf(target)
  );
}

function fingerprintOf(target: Target): string {
  return fingerprint(
    project,
    target.sources,
    (path) => /\.(ts|mts|json|html|css|scss|svg)$/.test(path) && !path.endsWith('.spec.ts'),
  );
}

function stamp(target: Target): string {
  return join(project, `dist/${target.name}.fingerprint`);
}

if (import.meta.main) {
  const started = performance.now();
  try {
    const named = process.argv.slice(2);
    const built = await build(...(named.length > 0 ? [named] : []));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(built.length ? `Built ${built.join(', ')} in ${seconds} s.` : 'Nothing changed since the last build.');
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
