import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that looks to the API like a built dashboard: a page and a file. */
export function builtDashboard(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-dashboard-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Assay</title>');
  writeFileSync(join(folder, 'page.js'), '');
  return folder;
}
