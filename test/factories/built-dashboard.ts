import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that the API accepts as a built dashboard: a page and a script. */
export function builtDashboard(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-dashboard-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Assay</title>');
  writeFileSync(join(folder, 'page.js'), '');
  return folder;
}
