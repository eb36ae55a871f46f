#!/usr/bin/env node
// Starts the CLI on a recent enough Node: the current one, else the one packaged with the CLI.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
const bundle = fileURLToPath(new URL('assay.mjs', import.meta.url));

if (major > 22 || (major === 22 && minor >= 15)) {
  await import('./assay.mjs');
} else {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const packaged = join('node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const node = [join(folder, packaged), join(folder, '../..', packaged)].find(existsSync);
  if (node === undefined) {
    console.error(`assay needs Node 22.15 or later; this is ${process.version}.`);
    process.exit(2);
  }
  // the child receives the same signals, and its exit code becomes the exit code of this process
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  spawn(node, [bundle, ...process.argv.slice(2)], { stdio: 'inherit' }).on('close', (code) => process.exit(code ?? 1));
}
