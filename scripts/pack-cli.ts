import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.js';
import { project, runCommand } from './command.js';

/**
 * Files that the commands need at run time in addition to the bundle: to check models, and the task
 * definitions that come with Assay.
 */
const runtimeFiles = ['sandboxes/relay', 'sandboxes/onnx-runner', 'libs/tasks/ready'];

/**
 * Creates dist/assay-<version>.tgz, which `npm install --global` installs without the project.
 * Returns its path.
 */
async function packCli(): Promise<string> {
  await build(['cli']);
  const folder = mkdtempSync(join(tmpdir(), 'assay-pack-'));
  try {
    const version = writeManifest(folder);
    cpSync(join(project, 'dist/cli/assay.mjs'), join(folder, 'assay.mjs'));
    cpSync(join(project, 'apps/cli/launch.mjs'), join(folder, 'launch.mjs'));
    cpSync(join(project, 'LICENSE'), join(folder, 'LICENSE'));
    for (const path of runtimeFiles) {
      cpSync(join(project, path), join(folder, path), { recursive: true, filter: (file) => !file.endsWith('.ts') });
    }

    const { code, output } = await runCommand('npm', ['pack', folder, '--pack-destination', folder]);
    if (code !== 0) throw new Error(output.trim());
    const path = join(project, 'dist', `assay-${version}.tgz`);
    mkdirSync(join(project, 'dist'), { recursive: true });
    cpSync(join(folder, `assay-cli-${version}.tgz`), path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeManifest(folder: string): string {
  const text = readFileSync(join(project, 'apps/cli/package.json'), 'utf8');
  writeFileSync(join(folder, 'package.json'), text);
  return (JSON.parse(text) as { readonly version: string }).version;
}

if (import.meta.main) console.log(`Wrote ${await packCli()}.`);
