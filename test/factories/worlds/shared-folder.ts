import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

const folder = join(import.meta.dirname, '../../../../shared');
/** True if the folder with real data is present next to the project. */
export const isShared = existsSync(folder);

/** `describe` for tests on real data. Skips them with a message if the folder is missing. */
export function describeWithRealData(title: string, tests: () => void): void {
  if (isShared) {
    describe(title, tests);
    return;
  }
  console.warn(`SKIPPED: ${title}: there is no ${folder}`);
  describe.skip(title, tests);
}

export const sharedPath = (...path: string[]): string => join(folder, ...path);

/**
 * Returns the text of a file in the folder; empty if the folder is missing, so that a skipped suite
 * can still be described.
 */
export const sharedText = (...path: string[]): string => (isShared ? readFileSync(sharedPath(...path), 'utf8') : '');

/** Returns the objects of a JSON Lines file. */
export const sharedLines = <T>(...path: string[]): T[] =>
  sharedText(...path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
