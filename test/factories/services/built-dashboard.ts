import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CROWD_PAGE = join(import.meta.dirname, '../../../apps/dashboard/src/crowd.html');

/**
 * Creates a folder that the API accepts as a built dashboard: a page, a script, and the page of
 * crowd workers without scripts.
 */
export function builtDashboard(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-dashboard-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Assay</title>');
  writeFileSync(join(folder, 'page.js'), '');
  mkdirSync(join(folder, 'crowd'));
  copyFileSync(CROWD_PAGE, join(folder, 'crowd/index.html'));
  return folder;
}
