import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../../..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Returns what it has written to standard error so far. */
  told(): string;
}

/** Builds the CLI if necessary and returns a function that runs `assay` in `folder`. */
export function cliIn(folder: string): (...words: readonly string[]) => Promise<Ended> {
  buildCli();
  return (...words) => startCli(folder, words).ended;
}

/** Builds the CLI if necessary. */
export function buildCli(): void {
  const build = ['--import', './scripts/typescript.mjs', 'scripts/build.ts', 'cli'];
  const built = spawnSync(process.execPath, build, { cwd: project, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}

/**
 * Starts the built CLI in `folder`. The folder is also its home: without one it would read the
 * developer's own configuration.
 */
export function startCli(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): RunningCli {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [join(project, 'dist/cli/assay.mjs'), ...words], {
    cwd: folder,
    env: { PATH, HOME: folder, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, ended, told: () => stderr };
}
