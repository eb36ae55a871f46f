import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../../..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Builds the CLI if necessary and returns a function that runs `assay` in `folder`. The folder is
 * also its home: without one it would read the developer's own configuration.
 */
export function cliIn(folder: string): (...words: readonly string[]) => Promise<Ended> {
  const build = ['--import', './scripts/typescript.mjs', 'scripts/build.ts', 'cli'];
  const built = spawnSync(process.execPath, build, { cwd: project, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  return (...words) => {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const child = spawn(process.execPath, [join(project, 'dist/cli/assay.mjs'), ...words], {
      cwd: folder,
      env: { PATH, HOME: folder, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  };
}
