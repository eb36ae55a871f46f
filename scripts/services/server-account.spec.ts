import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { enterableDirectory } from './server-account.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-account-'));
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is the wanted folder if every user can enter those above it, also if some are missing', () => {
  const wanted = join(folder, 'missing/docker');
  expect(enterableDirectory(wanted, 'docker')).toBe(wanted);
});

const asRoot = process.getuid?.() === 0 ? it : it.skip;
asRoot('is a folder of its own for each wanted one that others cannot enter', () => {
  mkdirSync(join(folder, 'closed'), { mode: 0o700 });
  const places = ['closed/a/docker', 'closed/b/docker'].map((path) => enterableDirectory(join(folder, path), 'docker'));
  expect(places).toEqual([expect.stringMatching(/^\/var\/lib\/assay\/docker-/), expect.not.stringContaining(folder)]);
  expect(places[0]).not.toBe(places[1]);
});
