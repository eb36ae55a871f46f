import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

const folder = join(import.meta.dirname, '../../../shared');
/** Whether the real data lie beside the project. */
export const isShared = existsSync(folder);

/** `describe` for tests on real data, which lie beside the project; without them it skips, and says so. */
export function describeWithRealData(title: string, tests: () => void): void {
  if (isShared) {
    describe(title, tests);
    return;
  }
  console.warn(`SKIPPED: ${title}: there is no ${folder}`);
  describe.skip(title, tests);
}

export const sharedPath = (...path: string[]): string => join(folder, ...path);

/** The text of a file below the folder; empty without it, so that a skipped suite can be described. */
export const sharedText = (...path: string[]): string => (isShared ? readFileSync(sharedPath(...path), 'utf8') : '');

/** The objects of a file in JSON Lines. */
export const sharedLines = <T>(...path: string[]): T[] =>
  sharedText(...path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
