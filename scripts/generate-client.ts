// Imports only Node's own modules, so that jest.config.mjs can load it without a loader.
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const project = resolve(import.meta.dirname, '..');
const config = join(project, 'libs/api-client/openapi-ts.config.mjs');
const generator = join(project, 'node_modules/@hey-api/openapi-ts');
const output = join(project, 'libs/api-client/src');

/** The file in the output with the fingerprint of what it was generated from. */
const FINGERPRINT = 'fingerprint';

/**
 * Generates libs/api-client from the OpenAPI document. Does nothing if the document, the
 * configuration and the generator have not changed since the last time.
 *
 * @returns true if it generated
 * @throws Error with the output of the generator if it fails
 */
export async function generateClient(): Promise<boolean> {
  const fingerprint = currentFingerprint();
  if (generatedFingerprint() === fingerprint) return false;

  // generated elsewhere and then moved, so that nothing reads half of it
  const folder = join(project, `dist/api-client-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    await runGenerator(folder);
    writeFileSync(join(folder, FINGERPRINT), fingerprint);
    rmSync(output, { recursive: true, force: true });
    renameSync(folder, output);
  } catch (error) {
    // another process may have generated the same in the meantime
    if (generatedFingerprint() !== fingerprint) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}

/** Returns the SHA-256 of everything that the client is generated from, in hexadecimal. */
function currentFingerprint(): string {
  const sources = [join(project, 'apps/api/openapi.json'), config, join(generator, 'package.json')];
  return hash('sha256', sources.map((source) => `${readFileSync(source, 'utf8')}\0`).join(''));
}

function generatedFingerprint(): string | undefined {
  const file = join(output, FINGERPRINT);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

async function runGenerator(folder: string): Promise<void> {
  const parameters = [join(generator, 'bin/run.js'), `--file=${config}`, '--silent', '--no-log-file'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, parameters, { cwd: folder });
  // the generator also ends with code 0 if it cannot read the document
  const isComplete = ['angular', 'fetch'].every((client) => existsSync(join(folder, client, 'index.ts')));
  if (!isComplete) throw new Error(`The API client could not be generated.\n${stdout}${stderr}`.trim());
}

if (import.meta.main) {
  console.log((await generateClient()) ? 'Wrote libs/api-client/src.' : 'libs/api-client/src is up to date.');
}
