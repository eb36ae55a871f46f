// Creates dist/assay-<version>.tgz, which `npm install --global` installs without the project.
import { cpSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.js';
import { project, projectText, runCommand, successful } from './command.js';

/** The packed files and folders, by their path in the package. */
const contents = {
  'package.json': 'apps/cli/package.json',
  'assay.mjs': 'dist/cli/assay.mjs',
  'launch.mjs': 'apps/cli/launch.mjs',
  LICENSE: 'LICENSE',
  // the commands need these in addition to the bundle: to check models, and the task definitions
  // that come with Assay
  'sandboxes/relay': 'sandboxes/relay',
  'sandboxes/onnx-runner': 'sandboxes/onnx-runner',
  'libs/tasks/ready': 'libs/tasks/ready',
} as const;

await build(['cli']);
using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-pack-'));
for (const [target, source] of Object.entries(contents)) {
  cpSync(join(project, source), join(folder.path, target), {
    recursive: true,
    filter: (file) => !file.endsWith('.ts'),
  });
}

await successful(runCommand('npm', ['pack', folder.path, '--pack-destination', folder.path]));
const { version } = JSON.parse(projectText(contents['package.json'])) as { readonly version: string };
const path = join(project, 'dist', `assay-${version}.tgz`);
cpSync(join(folder.path, `assay-cli-${version}.tgz`), path);
console.log(`Wrote ${path}.`);
